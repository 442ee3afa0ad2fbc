"""Diagnostics: what is wrong with a source text, where, what to do about it, and how that is shown."""

from hamletc.diagnostics.diagnostic import Diagnostic, Label, diagnose
from hamletc.diagnostics.files import FileDiagnostics, has_errors, render_files
from hamletc.diagnostics.machine import to_json
from hamletc.diagnostics.render import render, summary

__all__ = [
    "Diagnostic",
    "FileDiagnostics",
    "Label",
    "diagnose",
    "has_errors",
    "render",
    "render_files",
    "summary",
    "to_json",
]
