"""Packs the extension for VS Code as a .vsix:

    cd editors/vscode && npm install --ignore-scripts && python pack.py

npm brings the client library and esbuild, which makes one file of it and of extension.js; nothing else asks a network.
The same files give the same bytes. Install it with `code --install-extension hamletc-0.1.0.vsix`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

HERE = Path(__file__).parent
AS_THEY_ARE = ("language-configuration.json", "syntaxes/hamlet.tmLanguage.json", "README.md")
BUNDLED = (
    "extension.js",
    "--bundle",
    "--platform=node",
    "--target=node18",
    "--format=cjs",
    "--external:vscode",
    "--minify",
)
BEGUN = (1980, 1, 1, 0, 0, 0)
TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/><Default Extension=".md" ContentType="text/markdown"/>
<Default Extension=".js" ContentType="application/javascript"/><Default Extension=".txt" ContentType="text/plain"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""
MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id={id} Version={version} Publisher={publisher}/>
<DisplayName>{name}</DisplayName><Description xml:space="preserve">{description}</Description>
<Categories>{categories}</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/></Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
</Assets>
</PackageManifest>
"""


def bundled() -> bytes:
    """The client and its library as one file."""
    esbuild = HERE / "node_modules" / "esbuild" / "bin" / "esbuild"
    if not esbuild.is_file():
        sys.exit("esbuild is not here: npm install --ignore-scripts")
    return subprocess.run([str(esbuild), *BUNDLED], cwd=HERE, check=True, stdout=subprocess.PIPE).stdout


def contents(client: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of the extension, by their paths in the archive."""
    about = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    values = {"id": about["name"], "version": about["version"], "publisher": about["publisher"]}
    quoted = {name: quoteattr(value) for name, value in (*values.items(), ("engine", about["engines"]["vscode"]))}
    words = {
        "name": about["displayName"],
        "description": about["description"],
        "categories": ",".join(about["categories"]),
    }
    yield "[Content_Types].xml", TYPES.encode()
    yield (
        "extension.vsixmanifest",
        MANIFEST.format(**quoted, **{key: escape(text) for key, text in words.items()}).encode(),
    )
    kept = {key: value for key, value in about.items() if key not in ("dependencies", "devDependencies", "private")}
    yield "extension/package.json", (json.dumps(kept, indent=2) + "\n").encode()
    yield "extension/extension.js", client
    for name in AS_THEY_ARE:
        yield f"extension/{name}", (HERE / name).read_bytes()
    yield "extension/LICENSE.txt", (HERE.parents[1] / "LICENSE").read_bytes()


def pack(path: Path, client: bytes) -> None:
    """Write the extension."""
    with ZipFile(path, "w", ZIP_DEFLATED) as into:
        for name, data in contents(client):
            into.writestr(ZipInfo(name, BEGUN), data, ZIP_DEFLATED)


def main() -> None:
    about = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    path = HERE / f"{about['name']}-{about['version']}.vsix"
    pack(path, bundled())
    print(f"wrote {path} ({path.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main()
