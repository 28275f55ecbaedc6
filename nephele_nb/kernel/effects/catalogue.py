"""What is known by name of functions, modules and methods: data alone, it never looks at code."""

from __future__ import annotations

import re

from .report import EffectClass


def _names(prefix: str, words: str) -> set[str]:
    return {f"{prefix}.{word}" for word in words.split()}


TRUSTED = frozenset(
    "numpy pandas polars pyarrow scipy sklearn statsmodels matplotlib seaborn plotly altair sympy networkx PIL tqdm "
    "rich "
    "dateutil pytz zoneinfo pydantic attr attrs duckdb IPython cycler mpl_toolkits tabulate shapely geopandas xarray "
    "numba nephele_nb ipywidgets markdown yaml bs4 lxml cv2 skimage nltk spacy umap xgboost lightgbm jinja2 "
    "pandas_flavor pyparsing openpyxl docx pypdf patsy narwhals".split()
)
"""Libraries whose functions do no more than their names say."""

PURE_MODULES = frozenset(
    "abc argparse array ast base64 binascii bisect calendar cmath codecs collections colorsys contextlib contextvars "
    "copy csv dataclasses datetime decimal difflib dis doctest enum fractions functools gc getopt graphlib hashlib "
    "heapq hmac html inspect io itertools json keyword linecache locale logging math mimetypes numbers operator "
    "pathlib pprint queue random re reprlib secrets shlex statistics string struct sys textwrap threading time "
    "timeit token tokenize traceback types typing unicodedata unittest urllib uuid warnings weakref zlib zoneinfo "
    "pickle dill cloudpickle marshal asyncio concurrent email copyreg cProfile pstats tracemalloc platform os glob "
    "fnmatch stat posixpath ntpath "
    "builtins __future__ xml configparser tomllib tempfile typing_extensions display".split()
)
"""Modules of the standard library whose functions do nothing beyond their result, those listed below apart."""

INSTALLERS = frozenset({"pip", "micropip", "ensurepip", "piplite"})
RUNNING_IMPORTS = frozenset({"antigravity", "this"})
"""The modules of the standard library that do something when imported; all its others don't."""

READS_FILES = (
    _names("os", "listdir scandir walk stat lstat access readlink fwalk getxattr")
    | _names("os.path", "exists isfile isdir getsize getmtime getatime getctime islink lexists samefile realpath")
    | _names("glob", "glob iglob") | _names("linecache", "getline getlines") | _names("filecmp", "cmp dircmp")
    | _names("numpy", "load loadtxt genfromtxt fromfile memmap") | _names("pyarrow.parquet", "read_table ParquetFile")
    | _names("pyarrow", "memory_map OSFile") | _names("pyarrow.feather", "read_table read_feather")
    | _names("pyarrow.csv", "read_csv open_csv") | _names("pyarrow.json", "read_json")
    | _names("matplotlib.pyplot", "imread") | _names("matplotlib.image", "imread")
    | _names("PIL.Image", "open") | _names("cv2", "imread VideoCapture") | _names("yaml", "")
    | _names("openpyxl", "load_workbook") | _names("scipy.io", "loadmat") | _names("scipy.io.wavfile", "read")
    | _names("pyarrow.dataset", "dataset") | _names("pyarrow.ipc", "open_file open_stream")
    | _names("configparser.ConfigParser", "read") | _names("xml.etree.ElementTree", "parse")
    | _names("mmap", "mmap") | _names("pypdf", "PdfReader") | _names("joblib", "load") | _names("torch", "load")
    | _names("h5py", "File") | _names("docx", "Document") | _names("geopandas", "read_file")
    | {"runpy.run_path", "execfile"}
)  # fmt: skip
WRITES_FILES = (
    _names("os", "remove unlink rename replace renames mkdir makedirs rmdir removedirs symlink link truncate chmod "
                 "chown utime mkfifo write ftruncate")
    | _names("shutil", "copy copy2 copyfile copyfileobj copytree move rmtree make_archive unpack_archive copymode "
                       "copystat chown")
    | _names("tempfile", "NamedTemporaryFile TemporaryFile mkstemp mkdtemp TemporaryDirectory SpooledTemporaryFile")
    | _names("numpy", "save savez savez_compressed savetxt") | _names("matplotlib.pyplot", "savefig imsave")
    | _names("matplotlib.image", "imsave") | _names("pyarrow.parquet", "write_table write_to_dataset ParquetWriter")
    | _names("pyarrow.csv", "write_csv CSVWriter") | _names("pyarrow.feather", "write_feather")
    | _names("pyarrow.dataset", "write_dataset") | _names("cv2", "imwrite") | _names("scipy.io", "savemat")
    | _names("joblib", "dump") | _names("torch", "save") | _names("scipy.io.wavfile", "write")
    | _names("pandas", "ExcelWriter HDFStore") | _names("shelve", "open") | _names("dbm", "open")
    | _names("urllib.request", "urlretrieve") | _names("plotly.io", "write_image write_html")
    | _names("logging", "FileHandler") | _names("sqlite3", "connect") | _names("h5py", "File")
    | _names("zipfile", "") | {"logging.handlers.RotatingFileHandler"}
)  # fmt: skip
BOTH_SIDES = _names("shutil", "copy copy2 copyfile copytree move make_archive unpack_archive")
"""These read one path and write another."""
OPENS = {
    "open", "io.open", "os.open", "os.fdopen", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "tarfile.open",
    "zipfile.ZipFile", "gzip.GzipFile", "bz2.BZ2File", "lzma.LZMAFile", "aiofiles.open", "fsspec.open", "wave.open",
    "h5py.File", "io.FileIO", "pathlib.Path.open", "fileinput.input", "tarfile.TarFile",
}  # fmt: skip
"""These read or write by their mode."""

NETWORK_MODULES = frozenset(
    "requests httpx aiohttp urllib3 http.client http.server socket socketserver smtplib ftplib imaplib poplib nntplib "
    "telnetlib xmlrpc websockets websocket paramiko boto3 botocore openai anthropic huggingface_hub s3fs gcsfs "
    "yfinance "
    "psycopg psycopg2 pymysql MySQLdb pymongo redis kafka google grpc tweepy pandas_datareader wikipedia ssl "
    "asyncpg elasticsearch snowflake databricks selenium playwright scrapy mcp feedparser wget".split()
)
NETWORK = (
    _names("urllib.request", "urlopen urlretrieve Request build_opener OpenerDirector")
    | _names("asyncio", "open_connection start_server create_connection")
    | _names("webbrowser", "open open_new open_new_tab get")
    | _names("datasets", "load_dataset") | _names("nltk", "download") | _names("spacy.cli", "download")
    | _names("torch.hub", "load download_url_to_file load_state_dict_from_url") | _names("gdown", "download")
    | _names("seaborn", "load_dataset") | _names("sqlalchemy", "create_engine") | _names("statsmodels.datasets", "")
    | _names("statsmodels.api.datasets", "get_rdataset")
) - _names("urllib.request", "Request")  # fmt: skip
HARMLESS_OF_NETWORK = (
    _names("requests", "Session session Request PreparedRequest exceptions.HTTPError")
    | _names("httpx", "Client AsyncClient Timeout URL Headers Limits Request")
    | _names("socket", "gethostname AF_INET SOCK_STREAM") | _names("ssl", "create_default_context SSLContext")
    | _names("aiohttp", "ClientSession ClientTimeout") | _names("openai", "OpenAI AsyncOpenAI")
    | _names("anthropic", "Anthropic") | {"urllib3.PoolManager", "http.HTTPStatus"}
)  # fmt: skip
"""These only make an object: what it is asked for later is the request."""
PROCESS_MODULES = frozenset("subprocess pty multiprocessing sh pexpect dask ray billiard loky".split())
PROCESSES = (
    _names("os", "system popen startfile fork forkpty posix_spawn posix_spawnp spawnl spawnle spawnlp spawnlpe spawnv "
                 "spawnve spawnvp spawnvpe")
    | _names("asyncio", "create_subprocess_exec create_subprocess_shell")
    | _names("concurrent.futures", "ProcessPoolExecutor") | _names("joblib", "Parallel")
    | _names("webbrowser", "open open_new open_new_tab")
)  # fmt: skip
HARMLESS_OF_PROCESSES = _names(
    "multiprocessing", "cpu_count current_process Lock Event Value get_start_method"
) | _names("subprocess", "CalledProcessError TimeoutExpired list2cmdline")
INSTALLS = {"pip.main", "pip._internal.main", "micropip.install", "ensurepip.bootstrap", "piplite.install"}
ENDS = {
    "os._exit", "os.abort", "os.kill", "os.killpg", "os.execl", "os.execle", "os.execlp", "os.execlpe", "os.execv",
    "os.execve", "os.execvp", "os.execvpe", "sys.exit", "exit", "quit", "signal.raise_signal", "faulthandler._sigsegv",
    "signal.pthread_kill", "signal.alarm",
}  # fmt: skip
REFUSED_ENDS = {"sys.exit", "exit", "quit"}
OPAQUE = (
    {"exec", "eval", "compile", "__import__", "runpy.run_path", "runpy.run_module", "importlib.reload",
     "breakpoint", "code.interact", "sys.settrace", "sys.setprofile", "sys.addaudithook", "atexit.register",
     "signal.signal", "threading.settrace", "joblib.load", "torch.load", "yaml.load", "yaml.unsafe_load",
     "sys._getframe", "gc.get_objects", "gc.get_referrers", "inspect.currentframe", "weakref.finalize", "execfile",
     "types.FunctionType", "types.CodeType"}
    | _names("pickle", "load loads Unpickler") | _names("dill", "load loads") | _names("cloudpickle", "load loads")
    | _names("marshal", "load loads")
)  # fmt: skip
"""What these run stands in no source that could be read."""

CHANGES_FIRST = (
    _names("random", "shuffle") | _names("numpy.random", "shuffle") | _names("numpy", "copyto put place fill_diagonal "
    "putmask")
    | _names("heapq", "heappush heappop heapify heapreplace heappushpop") | _names("bisect", "insort insort_left "
    "insort_right")
    | _names("operator", "setitem delitem iadd isub imul iand ior ixor iconcat")
    | _names("numpy", "put_along_axis") | {"next", "anext", "setattr", "delattr", "object.__setattr__",
    "object.__delattr__"}
    | _names("list", "append extend insert pop remove clear sort reverse __setitem__ __delitem__")
    | _names("dict", "update pop popitem clear setdefault __setitem__ __delitem__")
    | _names("set", "add discard remove pop clear update difference_update intersection_update")
)  # fmt: skip
"""These change their first argument in place."""
CHANGES_STATE = {
    "os.chdir": "os.getcwd()", "os.fchdir": "os.getcwd()", "os.putenv": "os.environ", "os.unsetenv": "os.environ",
    "os.umask": "os.umask", "random.seed": "random", "random.setstate": "random", "numpy.random.seed": "numpy.random",
    "pandas.set_option": "pandas.options", "pandas.reset_option": "pandas.options", "locale.setlocale": "locale",
    "matplotlib.use": "matplotlib", "matplotlib.rc": "matplotlib.rcParams", "matplotlib.pyplot.rc":
    "matplotlib.rcParams",
    "matplotlib.pyplot.style.use": "matplotlib.rcParams", "matplotlib.style.use": "matplotlib.rcParams",
    "warnings.filterwarnings": "warnings.filters", "warnings.simplefilter": "warnings.filters",
    "logging.basicConfig": "logging", "logging.disable": "logging", "numpy.seterr": "numpy.geterr()",
    "numpy.set_printoptions": "numpy.get_printoptions()", "sys.setrecursionlimit": "sys.getrecursionlimit()",
    "gc.disable": "gc", "gc.enable": "gc", "gc.freeze": "gc", "time.tzset": "time",
    "decimal.setcontext": "decimal.getcontext()", "polars.Config": "polars.Config", "socket.setdefaulttimeout":
    "socket",
    "csv.field_size_limit": "csv", "csv.register_dialect": "csv", "seaborn.set_theme": "matplotlib.rcParams",
    "seaborn.set": "matplotlib.rcParams", "seaborn.set_style": "matplotlib.rcParams", "importlib.invalidate_caches":
    "importlib",
    "sys.setswitchinterval": "sys", "faulthandler.enable": "faulthandler", "pandas.options": "pandas.options",
}  # fmt: skip
_RANDOM = (
    "random randint choice choices sample uniform gauss normalvariate shuffle randrange rand randn normal "
    "permutation integers standard_normal poisson binomial exponential beta gamma triangular betavariate"
).split()
DRAWS = _names("random", " ".join(_RANDOM)) | _names("numpy.random", " ".join(_RANDOM))
"""These move a random state that other code shares; undo puts it back, the card says nothing of it."""

READER = re.compile(r"(read|scan|load|parse|imread|open|from_file)(_|$)")
WRITER = re.compile(
    r"(write|save|dump|export|sink|savefig|to_(csv|parquet|excel|json|feather|hdf|pickle|sql|stata|html|orc|xml|"
    r"markdown|latex|gbq|netcdf|zarr|file|clipboard))(_|$)"
)
FETCHER = re.compile(r"(fetch|download|urlopen)(_|$)")
NEEDS_PATH = re.compile(r"to_(json|html|markdown|latex|csv|xml|orc)$")
"""Without a path these only return text."""
URL = re.compile(
    r"^(https?|ftp|s3|gs|gcs|az|abfss?|ssh|sftp|postgresql|mysql|mongodb|redis|hf)(\+\w+)?://", re.IGNORECASE
)
INSTALLING = re.compile(
    r"\b(pip3?|pipx|conda|mamba|micromamba|uv|apt|apt-get|brew|npm|yarn|poetry|pdm|gem|cargo|dnf|yum|R)\b.*\b(install|add|update|"
    r"upgrade|sync|uninstall|remove|create|i)\b"
)
FETCHING = re.compile(
    r"\b(curl|wget|ssh|scp|rsync|ftp|sftp|nc|telnet|ping|aws|gsutil|gcloud|az|kaggle|gh|huggingface-cli)\b|"
    r"\bgit\s+(clone|pull|push|fetch)\b|https?://"
)
SQL_WRITES = re.compile(
    r"\b(insert|update|delete|drop|create|alter|replace|copy|attach|truncate|merge|vacuum|install|load|export|import|set|pragma)\b",
    re.IGNORECASE,
)  # fmt: skip
SQL_FILES = re.compile(
    r"\b(?:from|join)\s+'([^']+)'|\b(?:read|scan)_\w+\s*\(\s*'([^']+)'|\bcopy\b.*?\bto\s+'([^']+)'",
    re.IGNORECASE | re.DOTALL,
)

EFFECTS_BY_NAME: tuple[tuple[set[str], EffectClass], ...] = (
    (READS_FILES, "files_read"),
    (WRITES_FILES, "files_written"),
    (BOTH_SIDES, "files_read"),
    (NETWORK, "network"),
    (PROCESSES, "processes"),
    (INSTALLS, "installs"),
    (ENDS, "ends"),
    (OPAQUE, "unknown"),
)
