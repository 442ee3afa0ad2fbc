"""Diagnostics: what is wrong with a source text, where, what to do about it, and how that is shown."""

from hamletc.diagnostics.diagnostic import Diagnostic, Label, diagnose
from hamletc.diagnostics.edit import Edit, apart, edited, is_sure
from hamletc.diagnostics.files import FileDiagnostics, by_file, has_errors, merged, render_files
from hamletc.diagnostics.finding import Finding, Told, finding
from hamletc.diagnostics.machine import files_to_json, to_json
from hamletc.diagnostics.render import render, summary

__all__ = [
    "Diagnostic",
    "Edit",
    "FileDiagnostics",
    "Finding",
    "Label",
    "Told",
    "apart",
    "by_file",
    "diagnose",
    "edited",
    "files_to_json",
    "finding",
    "has_errors",
    "is_sure",
    "merged",
    "render",
    "render_files",
    "summary",
    "to_json",
]
