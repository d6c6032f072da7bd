const SHAPE = /<p:sp[ >][\s\S]*?<\/p:sp>/g
/** Placeholders of a page of notes that are no notes: its number, its date, its edges and the slide itself. */
const OTHER_PLACEHOLDER = /<p:ph [^>]*type="(?:sldNum|sldImg|dt|hdr|ftr)"/
const PARAGRAPH = /<a:p[ >][\s\S]*?<\/a:p>/g
const RUN_TEXT = /<a:r[ >][\s\S]*?<\/a:r>/g
const TEXT = /<a:t(?: [^>]*)?>([^<]*)<\/a:t>/
const NO_BULLET = '<a:pPr lvl="0"><a:buNone/></a:pPr>'
const TREE_END = '</p:spTree>'

/** A slide that ends with the notes of its speaker, which its reader does not look for. */
export function appendNotes(slide: string, notes: string): string {
  const end = slide.lastIndexOf(TREE_END)
  const paragraphs = listParagraphs(notes)
  if (end === -1 || paragraphs.length === 0) return slide
  const written = paragraphs.map(text => `<a:p>${NO_BULLET}<a:r><a:t>${text}</a:t></a:r></a:p>`)
  const title = `<a:p>${NO_BULLET}<a:r><a:rPr b="1"/><a:t>Notes:</a:t></a:r></a:p>`
  const shape =
    '<p:sp><p:nvSpPr><p:cNvPr id="999999" name="Notes"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr/>' +
    `<p:txBody><a:bodyPr/><a:lstStyle/>${title}${written.join('')}</p:txBody></p:sp>`
  return slide.slice(0, end) + shape + slide.slice(end)
}

/** The paragraphs as XML has their texts. Fields such as the number of the slide are no notes. */
function listParagraphs(notes: string): string[] {
  const shapes = [...notes.matchAll(SHAPE)].map(([shape]) => shape).filter(shape => !OTHER_PLACEHOLDER.test(shape))
  return shapes
    .flatMap(shape => [...shape.matchAll(PARAGRAPH)].map(([paragraph]) => joinTexts(paragraph)))
    .filter(text => /[^ \t\r\n]/.test(text))
}

function joinTexts(paragraph: string): string {
  return [...paragraph.matchAll(RUN_TEXT)].map(([run]) => TEXT.exec(run)?.[1] ?? '').join('')
}
