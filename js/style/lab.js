import "./chat.css";
import "./markdown.css";
import "./pages.css";
import "./rounds.css";
import "./tools.css";
import "./approval.css";
import "./messages.css";
import "./lab.css";
