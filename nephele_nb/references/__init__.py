"""The sources of ``find_references``, one a file; none knows of another."""

from .arxiv import Arxiv
from .commons import Commons
from .crossref import Crossref
from .enquiry import Enquiry, Finding, enquire
from .folder import Folder
from .openalex import OpenAlex
from .own import Notes, Tables
from .reference import Reference, Source

__all__ = [
    "Arxiv", "Commons", "Crossref", "Enquiry", "Finding", "Folder", "Notes", "OpenAlex", "Reference", "Source",
    "Tables", "enquire",
]  # fmt: skip
