/* Files that are packed by gzip, on whatever host they lie. */

/* The bytes of a file of this page; an Error whose message is for readers where it is not there. */
export async function got(path, load = fetch) {
  const answer = await load(`${path}.gz`);
  if (!answer.ok) throw new Error(`${path} is not there: ${answer.status}`);
  return unpacked(await answer.arrayBuffer());
}

/* Some hosts say of such files how they are packed, and then a browser has unpacked them already. */
async function unpacked(bytes) {
  const [first, second] = new Uint8Array(bytes, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/* A text as letters that an address may have. */
export async function letters(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const code = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(code).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/* The text of such letters, of at most so many bytes. */
export async function textOf(letters, most) {
  const chunks = [];
  let size = 0;
  try {
    const code = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(code, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    for (const reader = stream.getReader(); size <= most; ) {
      const { done, value } = await reader.read();
      if (done) return new TextDecoder("utf-8", { fatal: true }).decode(await new Blob(chunks).arrayBuffer());
      chunks.push(value);
      size += value.length;
    }
  } catch {
    throw new Error("the text of this link is cut off");
  }
  throw new Error(`the text of this link is longer than ${most} bytes`);
}
