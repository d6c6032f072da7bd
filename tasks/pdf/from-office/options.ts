import { Type } from 'typebox'
import { Choice } from '#kit'

/** What from-office and rescue print with where the caller says nothing. */
export const officeFields = {
  landscape: Type.Optional(Type.Boolean({ description: 'Left out: as the document says.' })),
  paper: Type.Optional(Choice(['a3', 'a4', 'a5', 'letter', 'legal', 'tabloid'])),
  sheets: Type.Union(
    [Choice(['visible', 'all']), Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 100 })],
    { default: 'visible', description: 'Sheets of a spreadsheet: visible, all, or their names.' },
  ),
  fit: Choice(['none', 'width', 'page'], {
    default: 'width',
    description: 'Spreadsheets are scaled so that all columns, or a whole sheet, fit on a page.',
  }),
  notes: Choice(['none', 'only', 'after'], { default: 'none', description: 'Notes of a presentation.' }),
  hiddenSlides: Type.Boolean({ default: false }),
  comments: Choice(['none', 'margin'], {
    default: 'none',
    description: 'margin: as notes, which viewers show beside the text.',
  }),
  trackedChanges: Choice(['final', 'markup'], { default: 'final' }),
  updateIndexes: Type.Boolean({ default: true, description: 'Update the table of contents and other indexes.' }),
  formFields: Type.Boolean({ default: true, description: 'Form controls become fields that can be filled in.' }),
  imageQuality: Type.Integer({ default: 90, minimum: 1, maximum: 100 }),
  maxImageDpi: Type.Integer({ default: 300, minimum: 50, maximum: 1200 }),
  bookmarks: Type.Boolean({ default: true, description: 'Bookmarks from headings.' }),
  pdfa: Type.Optional(
    Choice(['1b', '2b', '3b'], {
      description: 'Write PDF/A of this level; what a validator would find is checked in part.',
    }),
  ),
  pdfua: Type.Boolean({ default: false, description: 'Write PDF/UA; nothing validates it here.' }),
}
