const TEXT = 'Harbour log\nStores\nOil\n1,250\nCaptain:\nAhab\nInsured\n'
type Place = [x: number, y: number, width: number, height: number]

/** A coordinate of 0 is left out, and numbers of 64 bits are text. */
const poly = ([x, y, width, height]: Place) => ({
  normalizedVertices: [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ],
})
const layout = (text: string, place: Place, confidence = 0.99) => {
  const start = TEXT.indexOf(text)
  const startIndex = start === 0 ? {} : { startIndex: String(start) }
  const textAnchor = { textSegments: [{ ...startIndex, endIndex: String(start + text.length) }] }
  return { layout: { textAnchor, confidence, boundingPoly: poly(place), orientation: 'PAGE_UP' } }
}

const PAGE = {
  ...{ pageNumber: 1, dimension: { width: 200, height: 100, unit: 'pixels' } },
  tokens: [
    layout('Harbour ', [0.1, 0.1, 0.2, 0.05]),
    layout('log\n', [0.32, 0.1, 0.1, 0.05], 0.88),
    layout('Stores\n', [0.1, 0.3, 0.1, 0.04]),
  ],
  lines: [layout('Harbour log\n', [0.1, 0.1, 0.32, 0.05]), layout('Stores\n', [0.1, 0.3, 0.1, 0.04])],
}
const FORM = {
  tables: [
    {
      ...layout('', [0.1, 0.3, 0.4, 0.1]),
      headerRows: [{ cells: [{ ...layout('Stores\n', [0.1, 0.3, 0.4, 0.05]), rowSpan: 1, colSpan: 2 }] }],
      bodyRows: [
        {
          cells: [
            { ...layout('Oil\n', [0.1, 0.35, 0.2, 0.05]), rowSpan: 1, colSpan: 1 },
            { ...layout('1,250\n', [0.3, 0.35, 0.2, 0.05]), rowSpan: 1, colSpan: 1 },
          ],
        },
      ],
    },
  ],
  formFields: [
    {
      fieldName: layout('Captain:\n', [0.1, 0.6, 0.15, 0.04]).layout,
      fieldValue: layout('Ahab\n', [0.3, 0.6, 0.15, 0.04]).layout,
    },
    {
      fieldName: layout('Insured\n', [0.1, 0.7, 0.15, 0.04]).layout,
      fieldValue: { boundingPoly: poly([0.3, 0.7, 0.03, 0.03]) },
      valueType: 'filled_checkbox',
    },
  ],
}
const entity = (type: string, mentionText: string, normalizedValue?: object) => ({
  ...{ type, mentionText, confidence: 0.9, pageAnchor: { pageRefs: [{ boundingPoly: poly([0.5, 0.5, 0.1, 0.02]) }] } },
  ...(normalizedValue && { normalizedValue }),
})
const money = (type: string, mentionText: string, units: string) =>
  entity(type, mentionText, { text: `${units} USD`, moneyValue: { currencyCode: 'USD', units } })
const date = (type: string, mentionText: string, [year, month, day]: [number, number, number]) =>
  entity(type, mentionText, { text: mentionText, dateValue: { year, month, day } })

/** By the id of the processor. */
export const GOOGLE_DOCUMENTS: Readonly<Record<string, object>> = {
  ocr: { text: TEXT, pages: [PAGE] },
  form: { text: TEXT, pages: [{ ...PAGE, ...FORM }] },
  invoice: {
    ...{ text: 'INVOICE\n', pages: [{ lines: [{ layout: { textAnchor: { textSegments: [{ endIndex: '8' }] } } }] }] },
    entities: [
      entity('supplier_name', 'Pequod\nStores'),
      entity('invoice_id', 'NB-17'),
      date('invoice_date', '03/14/2026', [2026, 3, 14]),
      money('net_amount', '1,000.00', '1000'),
      money('total_tax_amount', '190.00', '190'),
      money('total_amount', '1,190.00', '1190'),
      {
        ...entity('line_item', 'Rope 4 250.00 1,000.00'),
        properties: [
          entity('line_item/description', 'Rope'),
          entity('line_item/quantity', '4'),
          money('line_item/unit_price', '250.00', '250'),
          money('line_item/amount', '1,000.00', '1000'),
        ],
      },
    ],
  },
  licence: {
    text: TEXT,
    entities: [
      entity('Given Names', 'ISHMAEL'),
      entity('Family Name', 'COFFIN'),
      entity('Document Id', 'D1234567'),
      date('Expiration Date', '03/14/2031', [2031, 3, 14]),
    ],
  },
}
