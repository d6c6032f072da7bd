import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planCompoundFile } from '../../../tasks/formats/office/compound-file.ts'
import { freshFolder } from '../../support/machine/folder.ts'

// About the limit of small streams, and about the number of sectors that the header can name.
test.each([0, 10, 4_095, 4_096, 7_100_000, 7_200_000, 17_000_000])(
  '7-Zip reads each stream of a file with %i bytes in one of them',
  async size => {
    await using folder = await freshFolder()
    const sizes: [string, number][] = [
      ['Package', size],
      ['A/B/\u0006Primary', 100],
      ['A/large', 5_000],
      ['A/Zero', 0],
      ['A/zz', 64],
    ]
    const streams = sizes.map(([path, sizeBytes]) => ({
      path: path.split('/'),
      sizeBytes,
      bytes: randomBytes(sizeBytes),
    }))
    const layout = planCompoundFile(streams)
    const file = Buffer.alloc(layout.sizeBytes)
    for (const [index, { bytes }] of streams.entries()) file.set(bytes, layout.offsets[index])
    for (const { offset, bytes } of layout.parts) file.set(bytes, offset)
    const path = join(folder.path, 'file.doc')
    writeFileSync(path, file)
    execFileSync('7zz', ['x', '-tCompound', `-o${folder.path}/out`, path])
    // 7-Zip shows the first character of such names in brackets.
    const read = ({ path: names }: { path: string[] }) =>
      readFileSync(join(folder.path, 'out', ...names.map(name => name.replace('\u0006', '[6]'))))
    for (const stream of streams) expect(read(stream).equals(stream.bytes), stream.path.join('/')).toBe(true)
  },
)
