/** Places are pixels of the image that was sent, which has this size in the tests of the adapters. */
const [WIDTH, HEIGHT] = [200, 100]
const polygon = (x: number, y: number, width: number, height: number) => {
  const [left, top, right, bottom] = [x * WIDTH, y * HEIGHT, (x + width) * WIDTH, (y + height) * HEIGHT]
  return [left, top, right, top, right, bottom, left, bottom]
}
const region = (...place: [number, number, number, number]) => ({
  boundingRegions: [{ pageNumber: 1, polygon: polygon(...place) }],
})

const CONTENT = 'Harbour log\nStores\nOil\n1,250'
const word = (content: string, place: [number, number, number, number], confidence = 0.99) => ({
  ...{ content, confidence, polygon: polygon(...place) },
  span: { offset: CONTENT.indexOf(content), length: content.length },
})
const PAGE = {
  ...{ pageNumber: 1, angle: 0, width: WIDTH, height: HEIGHT, unit: 'pixel' },
  words: [
    word('Harbour', [0.1, 0.1, 0.2, 0.05]),
    word('log', [0.32, 0.1, 0.1, 0.05], 0.88),
    word('Stores', [0.1, 0.3, 0.1, 0.04]),
  ],
  lines: [
    { content: 'Harbour log', polygon: polygon(0.1, 0.1, 0.32, 0.05), spans: [{ offset: 0, length: 11 }] },
    { content: 'Stores', polygon: polygon(0.1, 0.3, 0.1, 0.04), spans: [{ offset: 12, length: 6 }] },
  ],
}
const cell = (rowIndex: number, columnIndex: number, content: string, more: object = {}) => ({
  ...{ kind: 'content', rowIndex, columnIndex, content, spans: [] },
  ...region(0.1 + 0.2 * columnIndex, 0.3 + 0.05 * rowIndex, 0.2, 0.05),
  ...more,
})
const text = (content: string) => ({ type: 'string', valueString: content, content, confidence: 0.95 })
const money = (content: string, amount: number) => ({
  ...{ type: 'currency', content, confidence: 0.96, ...region(0.5, 0.5, 0.1, 0.02) },
  valueCurrency: { currencySymbol: '$', amount, currencyCode: 'USD' },
})

/** What is found, by the model. */
const FOUND: Readonly<Record<string, object>> = {
  'prebuilt-read': {},
  'prebuilt-layout': {
    tables: [
      {
        ...{ rowCount: 2, columnCount: 2, ...region(0.1, 0.3, 0.4, 0.1) },
        cells: [
          cell(0, 0, 'Stores', { kind: 'columnHeader', columnSpan: 2, spans: [{ offset: 12, length: 6 }] }),
          cell(1, 0, 'Oil'),
          cell(1, 1, '1,250'),
        ],
      },
      { rowCount: 9_000_000, columnCount: 9_000_000, cells: [cell(0, 0, 'nonsense')] },
    ],
    keyValuePairs: [
      { key: { content: 'Captain:', ...region(0.1, 0.6, 0.15, 0.04) }, value: { content: 'Ahab' }, confidence: 0.9 },
      { key: { content: 'Insured' }, value: { content: ':selected:' }, confidence: 0.8 },
    ],
  },
  'prebuilt-invoice': {
    documents: [
      {
        docType: 'invoice',
        fields: {
          VendorName: text('Pequod Stores'),
          InvoiceId: text('NB-17'),
          InvoiceDate: { type: 'date', valueDate: '2026-03-14', content: '03/14/2026', confidence: 0.97 },
          SubTotal: money('$1,000.00', 1000),
          TotalTax: money('$190.00', 190),
          InvoiceTotal: money('$1,190.00', 1190),
          Items: {
            type: 'array',
            valueArray: [
              {
                type: 'object',
                valueObject: {
                  Description: text('Rope'),
                  Quantity: { type: 'number', valueNumber: 4, content: '4', confidence: 0.9 },
                  UnitPrice: money('$250.00', 250),
                  Amount: money('$1,000.00', 1000),
                },
              },
            ],
          },
        },
        confidence: 1,
      },
    ],
  },
  'prebuilt-receipt': {
    documents: [
      {
        docType: 'receipt.retailMeal',
        fields: {
          MerchantName: text('Spouter Inn'),
          TransactionDate: { type: 'date', valueDate: '2026-03-14', content: '3/14/26', confidence: 0.9 },
          Tip: money('$2.00', 2),
          Total: money('$12.00', 12),
        },
        confidence: 1,
      },
    ],
  },
  'prebuilt-idDocument': {
    documents: [
      {
        docType: 'idDocument.driverLicense',
        fields: {
          CountryRegion: { type: 'countryRegion', valueCountryRegion: 'USA', confidence: 0.99 },
          FirstName: text('ISHMAEL'),
          LastName: text('COFFIN'),
          DocumentNumber: text('D1234567'),
          DateOfExpiration: { type: 'date', valueDate: '2031-03-14', content: '03/14/2031', confidence: 0.9 },
        },
        confidence: 1,
      },
    ],
  },
}

/** `isNothing`: the model recognises no document. */
export function describeAnalysis(model: string, isNothing = false): object | undefined {
  const found = isNothing ? {} : FOUND[model]
  const head = { apiVersion: '2024-11-30', modelId: model, stringIndexType: 'textElements', content: CONTENT }
  return found && { ...head, pages: [PAGE], ...found }
}
