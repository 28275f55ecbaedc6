"""What methods do by the kind of their receiver, and what kind their result is; data alone."""

from __future__ import annotations

from .values import FIXED, LIBRARY


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CHANGING: dict[str, frozenset[str]] = {
    "list": _words(
        "append extend insert pop remove clear sort reverse appendleft popleft extendleft rotate frombytes fromlist "
        "byteswap __setitem__ __delitem__ __iadd__"
    ),
    "dict": _words("update pop popitem clear setdefault subtract move_to_end __setitem__ __delitem__ __ior__ putenv"),
    "set": _words(
        "add discard remove pop clear update difference_update intersection_update symmetric_difference_update "
        "__ior__ __iand__"
    ),
    "bytearray": _words("append extend insert pop remove clear reverse __setitem__ __delitem__"),
    "frame": _words("insert pop update __setitem__ __delitem__ isetitem"),
    "array": _words(
        "sort fill put partition resize setflags itemset byteswap setfield __setitem__ __iadd__ __imul__ __isub__"
    ),
    "buffer": _words("write writelines seek truncate close read readline readlines"),
    "file": _words("seek truncate close read readline readlines write writelines flush readinto"),
    "iterator": _words("send throw close __next__ asend athrow aclose"),
    "database": _words(
        "execute executemany executescript commit rollback close register unregister sql query create_function"
    ),
    "generator": frozenset(),
    "process": _words("kill terminate send_signal wait communicate"),
    LIBRARY: _words(
        "fit partial_fit fit_transform fit_predict set_params append add update remove pop clear insert extend "
        "setdefault "
        "add_node add_edge add_nodes_from add_edges_from remove_node remove_edge remove_nodes_from remove_edges_from "
        "plot scatter bar barh hist imshow set_title set_xlabel set_ylabel set_xlim set_ylim legend axhline axvline "
        "annotate text set fill_between boxplot tick_params grid tight_layout suptitle add_subplot subplots_adjust "
        "set_xticks set_yticks set_xticklabels set_yticklabels cla clf errorbar pie contour contourf add_trace "
        "update_layout update_traces paste putpixel putalpha thumbnail drop_nodes add_artist step stackplot "
        "set_description insert_column replace_column drop_in_place shrink_to_fit rechunk set_size_inches"
    ),
}
ANY_CHANGING = CHANGING["list"] | CHANGING["dict"] | CHANGING["set"] | _words("insert_many set_value put sort_in_place")
"""What on a receiver of unknown kind is taken for a change of it."""
CALLING = _words("pipe apply map applymap agg aggregate transform map_elements map_batches submit imap starmap")
"""Methods that call what they are given first."""
PATH_READS = _words(
    "read_text read_bytes exists is_file is_dir stat lstat iterdir glob rglob walk owner group samefile is_symlink "
    "readlink resolve is_mount expanduser"
)
PATH_WRITES = _words(
    "write_text write_bytes touch mkdir unlink rename replace rmdir symlink_to hardlink_to chmod lchmod link_to "
    "copy copy_into move move_into"
)
CONSUMES = _words(
    "list tuple set frozenset dict sorted sum min max any all enumerate zip map filter next anext len str.join "
    "collections.deque collections.Counter itertools.islice itertools.chain itertools.takewhile functools.reduce "
    "numpy.fromiter pandas.DataFrame pandas.Series pandas.concat statistics.mean"
)
"""Given an iterator these use it up, and so change it."""
SESSION_CALLS = _words(
    "get post put patch delete head options request send stream build_request ws_connect urlopen create "
    "connect sendall recv sendto sendmail login retrbinary storbinary getresponse download upload"
)
PURE_ON_ANY = _words(
    "strip lstrip rstrip split rsplit splitlines lower upper title capitalize casefold replace startswith endswith "
    "find "
    "rfind index count join format encode decode isdigit isalpha isnumeric isspace isalnum zfill center ljust rjust "
    "partition rpartition removeprefix removesuffix translate items keys values get copy union intersection difference "
    "issubset issuperset group groups groupdict span start end hex bit_length is_integer as_integer_ratio mean std "
    "median max min sum shape head tail describe isoformat strftime date time timestamp total_seconds weekday year "
    "tolist astype round"
)
"""Methods that, whatever has them, are taken to do nothing beyond their result."""

MADE = {
    "list": "list", "sorted": "list", "dict": "dict", "set": "set", "bytearray": "bytearray", "iter": "iterator",
    "open": "file", "io.open": "file", "gzip.open": "file", "codecs.open": "file", "pathlib.Path": "path",
    "pathlib.Path.cwd": "path", "pathlib.Path.home": "path", "pathlib.PurePath": FIXED, "pathlib.PosixPath": "path",
    "io.StringIO": "buffer", "io.BytesIO": "buffer", "collections.deque": "list", "collections.Counter": "dict",
    "collections.defaultdict": "dict", "collections.OrderedDict": "dict", "sqlite3.connect": "database",
    "duckdb.connect": "database", "requests.Session": "session", "requests.session": "session", "httpx.Client":
    "session",
    "httpx.AsyncClient": "session", "aiohttp.ClientSession": "session", "urllib3.PoolManager": "session",
    "http.client.HTTPConnection": "session", "http.client.HTTPSConnection": "session", "socket.socket": "session",
    "socket.create_connection": "session", "smtplib.SMTP": "session", "smtplib.SMTP_SSL": "session", "ftplib.FTP":
    "session",
    "openai.OpenAI": "session", "anthropic.Anthropic": "session", "random.Random": "generator",
    "numpy.random.default_rng": "generator", "subprocess.Popen": "process", "pandas.DataFrame": "frame",
    "pandas.Series": "frame", "pandas.concat": "frame", "pandas.merge": "frame", "zip": "iterator", "map": "iterator",
    "filter": "iterator", "enumerate": "iterator", "reversed": "iterator", "multiprocessing.Pool": LIBRARY,
    "multiprocessing.pool.ThreadPool": LIBRARY, "copy.copy": "", "copy.deepcopy": "",
    "csv.writer": LIBRARY, "csv.reader": LIBRARY, "csv.DictReader": LIBRARY, "csv.DictWriter": LIBRARY,
    "zipfile.ZipFile": "archive", "tarfile.open": "archive", "boto3.client": "session", "boto3.resource": "session",
}  # fmt: skip
"""The kind of what a function returns, where it is not what its module suggests."""
SHARING_METHODS = _words(
    "get setdefault pop popitem values items keys copy reshape ravel view transpose swapaxes squeeze __getitem__ "
    "group groups parent joinpath with_suffix iloc loc astype"
)
FRESH_KINDS = frozenset({"frame", FIXED, "path"})
"""What a method of these returns shares no data that can be changed."""
