// The client of `hamletc lsp`: it starts the server, and says in a line what to install where there is none.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("hamletc").get("command");
  const server = { command, args, transport: TransportKind.stdio };
  client = new LanguageClient("hamletc", "Hamlet", server, { documentSelector: [{ language: "hamlet" }] });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const hint = "pip install 'hamletc[lsp]', or name the command in the setting hamletc.command";
    vscode.window.showErrorMessage(`hamletc: ${[command, ...args].join(" ")} does not start (${error.message}): ${hint}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

exports.activate = async (context) => {
  const again = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("hamletc.restart", again));
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("hamletc.command") && again()));
  await start();
};

exports.deactivate = stop;
