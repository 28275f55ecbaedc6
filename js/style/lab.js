import "./lab.css";
