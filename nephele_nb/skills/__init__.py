"""The skills: written-out ways of working, in the open Agent Skills form; it never follows one itself."""

from .fitting import Brought, called, fitting
from .shelf import Skills
from .skill import Skill

__all__ = ["Brought", "Skill", "Skills", "called", "fitting"]
