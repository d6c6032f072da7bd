const box = (Left: number, Top: number, Width: number, Height: number) => ({
  BoundingBox: { Left, Top, Width, Height },
  Polygon: [{ X: Left, Y: Top }],
})
const word = (Id: string, Text: string, at: ReturnType<typeof box>, Confidence = 99) => ({
  ...{ BlockType: 'WORD', Id, Text, TextType: 'PRINTED', Confidence, Geometry: at },
})
const children = (...Ids: string[]) => ({ Type: 'CHILD', Ids })
const cell = (Id: string, RowIndex: number, ColumnIndex: number, ids: string[], more: object = {}) => ({
  ...{ BlockType: 'CELL', Id, RowIndex, ColumnIndex, RowSpan: 1, ColumnSpan: 1, Confidence: 91 },
  Geometry: box(0.1 + 0.2 * (ColumnIndex - 1), 0.3 + 0.05 * (RowIndex - 1), 0.2, 0.05),
  ...(ids.length > 0 && { Relationships: [children(...ids)] }),
  ...more,
})

const WORDS = [
  word('w1', 'Harbour', box(0.1, 0.1, 0.2, 0.05)),
  word('w2', 'log', box(0.32, 0.1, 0.1, 0.05), 88),
  word('w3', 'Stores', box(0.1, 0.3, 0.1, 0.04)),
  word('w4', 'Oil', box(0.1, 0.35, 0.1, 0.04)),
  word('w5', '1,250', box(0.3, 0.35, 0.1, 0.04)),
  word('w6', 'Captain:', box(0.1, 0.6, 0.15, 0.04)),
  word('w7', 'Ahab', box(0.3, 0.6, 0.15, 0.04)),
  word('w8', 'Insured', box(0.1, 0.7, 0.15, 0.04)),
]
const LINES = [
  { BlockType: 'PAGE', Id: 'p1', Geometry: box(0, 0, 1, 1), Relationships: [children('l1', 'l2')] },
  {
    ...{ BlockType: 'LINE', Id: 'l1', Text: 'Harbour log', Confidence: 95, Geometry: box(0.1, 0.1, 0.32, 0.05) },
    Relationships: [children('w1', 'w2')],
  },
  {
    ...{ BlockType: 'LINE', Id: 'l2', Text: 'Stores', Confidence: 99, Geometry: box(0.1, 0.3, 0.1, 0.04) },
    Relationships: [children('w3')],
  },
]
const TABLE = [
  {
    ...{ BlockType: 'TABLE', Id: 't1', Confidence: 97, Geometry: box(0.1, 0.3, 0.4, 0.1) },
    Relationships: [children('c1', 'c2', 'c3', 'c4'), { Type: 'MERGED_CELL', Ids: ['m1'] }],
  },
  cell('c1', 1, 1, ['w3'], { EntityTypes: ['COLUMN_HEADER'] }),
  cell('c2', 1, 2, [], { EntityTypes: ['COLUMN_HEADER'] }),
  cell('c3', 2, 1, ['w4']),
  cell('c4', 2, 2, ['w5']),
  {
    ...{ BlockType: 'MERGED_CELL', Id: 'm1', RowIndex: 1, ColumnIndex: 1, RowSpan: 1, ColumnSpan: 2, Confidence: 90 },
    ...{ Geometry: box(0.1, 0.3, 0.4, 0.05), Relationships: [children('c1', 'c2')] },
  },
]
const keyValue = (Id: string, kind: 'KEY' | 'VALUE', at: ReturnType<typeof box>, ids: string[], values?: string[]) => ({
  ...{ BlockType: 'KEY_VALUE_SET', Id, EntityTypes: [kind], Confidence: 93, Geometry: at },
  Relationships: [children(...ids), ...(values ? [{ Type: 'VALUE', Ids: values }] : [])],
})
const FORM = [
  keyValue('k1', 'KEY', box(0.1, 0.6, 0.15, 0.04), ['w6'], ['v1']),
  keyValue('v1', 'VALUE', box(0.3, 0.6, 0.15, 0.04), ['w7']),
  keyValue('k2', 'KEY', box(0.1, 0.7, 0.15, 0.04), ['w8'], ['v2']),
  keyValue('v2', 'VALUE', box(0.3, 0.7, 0.05, 0.04), ['s1']),
  {
    ...{ BlockType: 'SELECTION_ELEMENT', Id: 's1', SelectionStatus: 'SELECTED', Confidence: 99 },
    Geometry: box(0.3, 0.7, 0.03, 0.03),
  },
  { BlockType: 'SIGNATURE', Id: 'g1', Confidence: 80, Geometry: box(0.6, 0.9, 0.3, 0.2) },
]

const expense = (Text: string, value: string, more: object = {}) => ({
  ...{ Type: { Text, Confidence: 99 }, PageNumber: 1, ...more },
  ValueDetection: { Text: value, Confidence: 96, Geometry: box(0.5, 0.5, 0.1, 0.02) },
})

/** By the action of Textract. */
export const TEXTRACT: Readonly<Record<string, object>> = {
  DetectDocumentText: { DocumentMetadata: { Pages: 1 }, Blocks: [...LINES, ...WORDS] },
  AnalyzeDocument: { DocumentMetadata: { Pages: 1 }, Blocks: [...LINES, ...WORDS, ...TABLE, ...FORM] },
  AnalyzeExpense: {
    DocumentMetadata: { Pages: 1 },
    ExpenseDocuments: [
      {
        ExpenseIndex: 1,
        SummaryFields: [
          expense('VENDOR_NAME', 'Pequod Stores'),
          expense('INVOICE_RECEIPT_ID', 'NB-17'),
          expense('INVOICE_RECEIPT_DATE', '03/14/2026'),
          expense('SUBTOTAL', '$1,000.00'),
          expense('TAX', '$190.00'),
          expense('TOTAL', '$1,190.00', { Currency: { Code: 'USD', Confidence: 98 } }),
          expense('OTHER', 'whatever'),
        ],
        LineItemGroups: [
          {
            LineItemGroupIndex: 1,
            LineItems: [
              {
                LineItemExpenseFields: [
                  ...[expense('ITEM', 'Rope'), expense('QUANTITY', '4'), expense('UNIT_PRICE', '$250.00')],
                  ...[expense('PRICE', '$1,000.00'), expense('EXPENSE_ROW', 'Rope 4 $250.00 $1,000.00')],
                ],
              },
            ],
          },
        ],
        Blocks: [{ BlockType: 'LINE', Id: 'l', Text: 'INVOICE', Confidence: 99, Geometry: box(0, 0, 1, 0.1) }],
      },
    ],
  },
  AnalyzeID: {
    DocumentMetadata: { Pages: 1 },
    IdentityDocuments: [
      {
        DocumentIndex: 1,
        IdentityDocumentFields: [
          { Type: { Text: 'FIRST_NAME' }, ValueDetection: { Text: 'ISHMAEL', Confidence: 98 } },
          { Type: { Text: 'LAST_NAME' }, ValueDetection: { Text: 'COFFIN', Confidence: 97 } },
          { Type: { Text: 'MIDDLE_NAME' }, ValueDetection: { Text: '', Confidence: 99 } },
          { Type: { Text: 'DOCUMENT_NUMBER' }, ValueDetection: { Text: 'D1234567', Confidence: 95 } },
          {
            Type: { Text: 'EXPIRATION_DATE' },
            ValueDetection: {
              ...{ Text: '03/14/2031', Confidence: 98 },
              NormalizedValue: { Value: '2031-03-14T00:00:00', ValueType: 'Date' },
            },
          },
          { Type: { Text: 'ID_TYPE' }, ValueDetection: { Text: 'DRIVER LICENSE FRONT', Confidence: 99 } },
        ],
      },
    ],
  },
}
