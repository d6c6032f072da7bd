import { pdfOf, streamOf } from './pdf.ts'

/**
 * Four pages that have everything a document may have besides: tags, layers of which one is off, labels, a field and a
 * note on each page, and a file. `name` is in all of it, so that two such documents are told apart.
 */
export function richPdf(name: string, width = 100): Buffer {
  const at = { tree: 7, parents: 8, elements: 9, form: 13, layers: 14, file: 16, notes: 18, fields: 22, contents: 26 }
  const ref = (number: number) => `${number} 0 R`
  const four = <Value>(each: (index: number) => Value) => [0, 1, 2, 3].map(each)
  const layers = `/OCProperties << /OCGs [14 0 R 15 0 R] /D << /Order [14 0 R 15 0 R] /OFF [15 0 R] >> >>`
  const labels = `/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (${name}-) >>] >>`
  const files = `/Names << /EmbeddedFiles << /Names [(${name}.txt) 16 0 R] >> >>`
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 7 0 R /MarkInfo << /Marked true >> /AcroForm 13 0 R ${layers} ${labels} ${files} >>`,
    `<< /Type /Pages /Count 4 /Kids [3 0 R 4 0 R 5 0 R 6 0 R] >>`,
    ...four(
      index =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width + index} 200] /StructParents ${index} /Tabs /S ` +
        `/Contents ${ref(at.contents + index)} /Annots [${ref(at.notes + index)} ${ref(at.fields + index)}] ` +
        `/Resources << /Font << /F 30 0 R >> /Properties << /On 14 0 R /Off 15 0 R >> >> >>`,
    ),
    `<< /Type /StructTreeRoot /K [${four(index => ref(at.elements + index)).join(' ')}] /ParentTree 8 0 R /ParentTreeNextKey 8 /RoleMap << /${name} /P >> >>`,
    `<< /Nums [${four(index => `${index} [${ref(at.elements + index)}]`).join(' ')} ${four(index => `${index + 4} ${ref(at.elements + index)}`).join(' ')}] >>`,
    ...four(
      index =>
        `<< /Type /StructElem /S /${name} /P 7 0 R /Pg ${ref(3 + index)} /Alt (${name} ${index + 1}) ` +
        `/K [0 << /Type /OBJR /Obj ${ref(at.notes + index)} >>] >>`,
    ),
    `<< /Fields [${four(index => ref(at.fields + index)).join(' ')}] /DR << /Font << /Helv 30 0 R >> >> /DA (/Helv 9 Tf 0 g) >>`,
    `<< /Type /OCG /Name (${name} on) >>`,
    `<< /Type /OCG /Name (${name} off) >>`,
    `<< /Type /Filespec /F (${name}.txt) /UF (${name}.txt) /EF << /F 17 0 R >> >>`,
    streamOf(`file of ${name}`, '/Type /EmbeddedFile'),
    ...four(
      index =>
        `<< /Type /Annot /Subtype /Text /Rect [0 0 20 20] /Contents (note ${name} ${index + 1}) /StructParent ${index + 4} /P ${ref(3 + index)} >>`,
    ),
    ...four(
      index =>
        `<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (field ${index + 1}) /V (${name} ${index + 1}) /DA (/Helv 9 Tf 0 g) /Rect [30 0 90 20] /P ${ref(3 + index)} >>`,
    ),
    ...four(index =>
      streamOf(
        `/${name} << /MCID 0 >> BDC BT /F 12 Tf 10 100 Td (text ${name} ${index + 1}) Tj ET EMC ` +
          `/OC /Off BDC BT /F 12 Tf 10 50 Td (hidden ${name} ${index + 1}) Tj ET EMC % ${'only here '.repeat(300)}`,
      ),
    ),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
}
