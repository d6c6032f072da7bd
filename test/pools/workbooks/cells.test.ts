import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { checkCells } from '../../../pools/tools/duckdb/read/archive-size.ts'

const NAME = 'xl/worksheets/sheet1.xml'

/** An archive of one sheet. */
function pack(content: Buffer, method: 0 | 8): Buffer {
  const packed = method === 8 ? deflateRawSync(content, { level: 1 }) : content
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(NAME.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(method, 10)
  entry.writeUInt32LE(packed.length, 20)
  entry.writeUInt32LE(content.length, 24)
  entry.writeUInt16LE(NAME.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(30 + NAME.length + packed.length, 16)
  return Buffer.concat([local, Buffer.from(NAME), packed, entry, Buffer.from(NAME), end])
}

const BYTES = 65 * 2 ** 20

test.each([0, 8] as const)('a sheet of too many cells is refused before it is parsed (method %s)', async method => {
  const many = pack(Buffer.alloc(BYTES, '<c r="A1"/>'), method)
  await expect(checkCells(many)).rejects.toMatchObject({
    code: 'MEMORY_LIMIT_EXCEEDED',
    hints: { limitCells: 5_000_000 },
  })
})

test('few cells of long texts are no reason, and a broken archive is left to the parser', async () => {
  await checkCells(pack(Buffer.alloc(BYTES, `<c r="A1"><is><t>${'text '.repeat(100)}</t></is></c>`), 8))
  const broken = pack(Buffer.alloc(BYTES, '<c r="A1"/>'), 8)
  broken.fill(0xff, 100, 2_000)
  await checkCells(broken)
  await expect(checkCells(Buffer.from('PK\u0003\u0004 and nothing more than that'))).rejects.toMatchObject({
    code: 'XLSX_PARSE_FAILED',
  })
})
