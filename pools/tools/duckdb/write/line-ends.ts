import { readFile, writeFile } from 'node:fs/promises'

const [QUOTE, LF] = [0x22, 0x0a]

/** Ends the rows of a CSV file otherwise; line ends inside of cells stay as they are. */
export async function rewriteLineEnds(path: string, { eol, bom }: { eol: 'lf' | 'crlf'; bom: boolean }): Promise<void> {
  const from = await readFile(path)
  const mark = Buffer.from(bom ? '\ufeff' : '')
  await writeFile(path, [mark, eol === 'crlf' ? toCrlf(from) : from])
}

function toCrlf(from: Buffer): Buffer {
  const to = Buffer.allocUnsafe(from.length * 2)
  let [length, isQuoted] = [0, false]
  for (const byte of from) {
    if (byte === QUOTE) isQuoted = !isQuoted
    if (byte === LF && !isQuoted) to[length++] = 0x0d
    to[length++] = byte
  }
  return to.subarray(0, length)
}
