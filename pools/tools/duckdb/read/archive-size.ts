import { Problem } from '#kit'

const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50]
/** The old binary workbooks, and encrypted new ones, which have no directory of this kind. */
const OLE = 0xe011cfd0
const MAX_INFLATED = 500 * 2 ** 20
const MAX_RATIO = 100
/** A small file may be packed as tightly as it likes. */
const HARMLESS = 16 * 2 ** 20

/** Refuses a workbook that says of itself that it unpacks to very much; what it does not say, its process's limits stop. */
export function checkArchive(bytes: Uint8Array): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const mark = view.length < 22 ? 0 : view.readUInt32LE(0)
  if (mark === OLE) return
  if (mark !== LOCAL) throw new Problem('XLSX_PARSE_FAILED', { detail: 'it is no workbook' })
  let end = view.length - 22
  while (end >= 0 && end > view.length - 65_558 && view.readUInt32LE(end) !== END) end--
  if (end < 0 || view.readUInt32LE(end) !== END)
    throw new Problem('XLSX_PARSE_FAILED', { detail: 'the archive is cut off' })
  let at = view.readUInt32LE(end + 16)
  let total = 0
  while (at + 46 <= end && view.readUInt32LE(at) === ENTRY) {
    total += view.readUInt32LE(at + 24)
    at += 46 + view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32)
  }
  const isBomb = total > MAX_INFLATED || (total > HARMLESS && total > view.length * MAX_RATIO)
  if (isBomb)
    throw new Problem('XLSX_PARSE_FAILED', { detail: 'it unpacks to more than is allowed', limit: MAX_INFLATED })
}
