import type { OutputFile } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import { PDF } from '../schema.ts'
import type { Comparison } from './answer.ts'

/** Draws both documents side by side, form values and notes included, with what differs marked. */
export async function drawReport(
  { sides, pairs, textChanges, visualChanges }: Comparison,
  { qpdf, libpdf, out }: Pick<Tools, 'qpdf' | 'libpdf'> & { out(name: string): string },
): Promise<OutputFile> {
  const rows = pairs.map(({ a, b }, at) => ({
    a: a === null ? null : { page: sides[0].numbers[a]!, marks: textChanges[at]?.marksA ?? [] },
    b: b === null ? null : { page: sides[1].numbers[b]!, marks: textChanges[at]?.marksB ?? [] },
    regions: visualChanges.get(a ?? -1)?.regions ?? [],
  }))
  const flat = [
    await qpdf.flatten(sides[0].path, { to: out('flat-a.pdf') }),
    await qpdf.flatten(sides[1].path, { to: out('flat-b.pdf') }),
  ] as const
  const drawn = await libpdf.drawComparison(flat, { rows, to: out('drawn.pdf') })
  return { path: await qpdf.rewrite(drawn, { to: out('differences.pdf') }), contentType: PDF, name: 'differences.pdf' }
}
