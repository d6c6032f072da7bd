import { buildPdf, pdfStream } from './document.ts'

/**
 * Four pages with tags, layers, one of which is off, page labels, a field and a note on each page, and an attachment.
 * `name` occurs in all of them, so that tests can tell two such documents apart.
 */
export function richPdf(name: string, width = 100): Buffer {
  const objectNumbers = {
    tree: 7,
    parents: 8,
    elements: 9,
    form: 13,
    layers: 14,
    file: 16,
    notes: 18,
    fields: 22,
    contents: 26,
  }
  const ref = (number: number) => `${number} 0 R`
  const mapPages = <Value>(each: (index: number) => Value) => [0, 1, 2, 3].map(each)
  const layers = `/OCProperties << /OCGs [14 0 R 15 0 R] /D << /Order [14 0 R 15 0 R] /OFF [15 0 R] >> >>`
  const labels = `/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (${name}-) >>] >>`
  const files = `/Names << /EmbeddedFiles << /Names [(${name}.txt) 16 0 R] >> >>`
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 7 0 R /MarkInfo << /Marked true >> /AcroForm 13 0 R ${layers} ${labels} ${files} >>`,
    `<< /Type /Pages /Count 4 /Kids [3 0 R 4 0 R 5 0 R 6 0 R] >>`,
    ...mapPages(
      index =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width + index} 200] /StructParents ${index} /Tabs /S ` +
        `/Contents ${ref(objectNumbers.contents + index)} /Annots [${ref(objectNumbers.notes + index)} ${ref(objectNumbers.fields + index)}] ` +
        `/Resources << /Font << /F 30 0 R >> /Properties << /On 14 0 R /Off 15 0 R >> >> >>`,
    ),
    `<< /Type /StructTreeRoot /K [${mapPages(index => ref(objectNumbers.elements + index)).join(' ')}] /ParentTree 8 0 R /ParentTreeNextKey 8 /RoleMap << /${name} /P >> >>`,
    `<< /Nums [${mapPages(index => `${index} [${ref(objectNumbers.elements + index)}]`).join(' ')} ${mapPages(index => `${index + 4} ${ref(objectNumbers.elements + index)}`).join(' ')}] >>`,
    ...mapPages(
      index =>
        `<< /Type /StructElem /S /${name} /P 7 0 R /Pg ${ref(3 + index)} /Alt (${name} ${index + 1}) ` +
        `/K [0 << /Type /OBJR /Obj ${ref(objectNumbers.notes + index)} >>] >>`,
    ),
    `<< /Fields [${mapPages(index => ref(objectNumbers.fields + index)).join(' ')}] /DR << /Font << /Helv 30 0 R >> >> /DA (/Helv 9 Tf 0 g) >>`,
    `<< /Type /OCG /Name (${name} on) >>`,
    `<< /Type /OCG /Name (${name} off) >>`,
    `<< /Type /Filespec /F (${name}.txt) /UF (${name}.txt) /EF << /F 17 0 R >> >>`,
    pdfStream(`file of ${name}`, '/Type /EmbeddedFile'),
    ...mapPages(
      index =>
        `<< /Type /Annot /Subtype /Text /Rect [0 0 20 20] /Contents (note ${name} ${index + 1}) /StructParent ${index + 4} /P ${ref(3 + index)} >>`,
    ),
    ...mapPages(
      index =>
        `<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (field ${index + 1}) /V (${name} ${index + 1}) /DA (/Helv 9 Tf 0 g) /Rect [30 0 90 20] /P ${ref(3 + index)} >>`,
    ),
    ...mapPages(index =>
      pdfStream(
        `/${name} << /MCID 0 >> BDC BT /F 12 Tf 10 100 Td (text ${name} ${index + 1}) Tj ET EMC ` +
          `/OC /Off BDC BT /F 12 Tf 10 50 Td (hidden ${name} ${index + 1}) Tj ET EMC % ${'only here '.repeat(300)}`,
      ),
    ),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
}
