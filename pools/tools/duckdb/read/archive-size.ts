import { createInflateRaw } from 'node:zlib'
import { Problem } from '#kit'

const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50]
/** The old binary workbooks, and encrypted new ones, which have no directory of this kind. */
const OLE = 0xe011cfd0
const MAX_INFLATED = 500 * 2 ** 20
const MAX_RATIO = 100
/** A small file may be packed as tightly as it likes. */
const HARMLESS = 16 * 2 ** 20

/** More cells than the parser can hold. */
const MAX_CELLS = 5_000_000
/** A sheet of fewer bytes has not so many. */
const FEW_CELLS = 64 * 2 ** 20
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/
const DEFLATED = 8
const CHUNK_BYTES = 2 ** 20

interface PackedFile {
  name: string
  method: number
  packedBytes: number
  sizeBytes: number
  headerAt: number
}

/** Refuses a workbook that says of itself that it unpacks to very much; what it does not say, its process's limits stop. */
export function checkArchive(bytes: Uint8Array): void {
  const total = listFiles(toBuffer(bytes)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const isBomb = total > MAX_INFLATED || (total > HARMLESS && total > bytes.length * MAX_RATIO)
  if (isBomb)
    throw new Problem('XLSX_PARSE_FAILED', { detail: 'it unpacks to more than is allowed', limit: MAX_INFLATED })
}

/**
 * Refuses sheets that the parser could not hold, in a second or two; it would take half a minute to fail. One sheet of
 * several may fit although all would not.
 */
export async function checkCells(bytes: Uint8Array, { isWhole = true } = {}): Promise<void> {
  const view = toBuffer(bytes)
  const sheets = listFiles(view).filter(({ name }) => SHEET.test(name))
  if (!isWhole && sheets.length > 1) return
  if (sheets.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) < FEW_CELLS) return
  let cells = 0
  for (const sheet of sheets) {
    for await (const chunk of unpack(view, sheet)) {
      cells += countCells(chunk)
      if (cells > MAX_CELLS)
        throw new Problem('MEMORY_LIMIT_EXCEEDED', { limitCells: MAX_CELLS, of: 'cells in sheets' })
    }
  }
}

/** How a cell ends that has a formula and no value, as some programs write it that do not compute. */
const NO_VALUE = /(?:<\/f>|<f[^>]{0,200}\/>)\s*(?:<v\s*\/>|<v>\s*<\/v>)?\s*<\/c>/
const LONGEST_END = 300

/** Whether a cell of any sheet has a formula without a stored value. */
export async function hasUncomputedFormulas(bytes: Uint8Array): Promise<boolean> {
  const view = toBuffer(bytes)
  for (const sheet of listFiles(view).filter(({ name }) => SHEET.test(name))) {
    let end = ''
    for await (const chunk of unpack(view, sheet)) {
      const text = end + chunk.toString('latin1')
      if (NO_VALUE.test(text)) return true
      end = text.slice(-LONGEST_END)
    }
  }
  return false
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Empty for the old binary workbooks. */
function listFiles(view: Buffer): PackedFile[] {
  const mark = view.length < 22 ? 0 : view.readUInt32LE(0)
  if (mark === OLE) return []
  if (mark !== LOCAL) throw new Problem('XLSX_PARSE_FAILED', { detail: 'it is no workbook' })
  let end = view.length - 22
  while (end >= 0 && end > view.length - 65_558 && view.readUInt32LE(end) !== END) end--
  if (end < 0 || view.readUInt32LE(end) !== END)
    throw new Problem('XLSX_PARSE_FAILED', { detail: 'the archive is cut off' })
  const files: PackedFile[] = []
  for (let at = view.readUInt32LE(end + 16); at + 46 <= end && view.readUInt32LE(at) === ENTRY; ) {
    const nameBytes = view.readUInt16LE(at + 28)
    files.push({
      name: view.toString('utf8', at + 46, at + 46 + nameBytes),
      method: view.readUInt16LE(at + 10),
      packedBytes: view.readUInt32LE(at + 20),
      sizeBytes: view.readUInt32LE(at + 24),
      headerAt: view.readUInt32LE(at + 42),
    })
    at += 46 + nameBytes + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32)
  }
  return files
}

/** A file that is broken gives what could be read; the parser tells what is wrong with it. */
async function* unpack(view: Buffer, { method, packedBytes, headerAt }: PackedFile): AsyncGenerator<Buffer> {
  if (headerAt + 30 > view.length) return
  const start = headerAt + 30 + view.readUInt16LE(headerAt + 26) + view.readUInt16LE(headerAt + 28)
  const packed = view.subarray(start, start + packedBytes)
  if (method !== DEFLATED) {
    yield packed
    return
  }
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES })
  inflate.end(packed)
  try {
    for await (const chunk of inflate) yield chunk as Buffer
  } catch {
    return
  }
}

/** One that a chunk cuts in two is missed, which is one in a hundred thousand. */
function countCells(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf('<c '); at >= 0; at = chunk.indexOf('<c ', at + 3)) count++
  return count
}
