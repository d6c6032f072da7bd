import { type Static, type TProperties, Type } from 'typebox'
import { Choice, type InputFile } from '#kit'
import { DECIMAL_PATTERN } from '../../formats/einvoice/amounts.ts'
import { TAX_CATEGORIES } from '../../formats/einvoice/invoice.ts'
import { CssColor } from '../../formats/raster/contrast.ts'
import { ImagePart } from '../schema.ts'

const Text = (maxLength: number, options: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })
const Maybe = (maxLength: number, options: Record<string, unknown> = {}) => Type.Optional(Text(maxLength, options))
const Day = (options: Record<string, unknown> = {}) => Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', ...options })
const Decimal = (options: Record<string, unknown> = {}) => Type.String({ pattern: DECIMAL_PATTERN, ...options })
/** A number has all six decimals of such amounts up to this size. */
const MAX_NUMBER = 999_999_999
const Positive = (options: Record<string, unknown> = {}) =>
  Type.Optional(
    Type.Union(
      [Type.String({ pattern: DECIMAL_PATTERN.replace('-?', '') }), Type.Number({ minimum: 0, maximum: MAX_NUMBER })],
      options,
    ),
  )
const Percent = (options: Record<string, unknown> = {}) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ pattern: '^(100(\\.0{1,4})?|\\d{1,2}(\\.\\d{1,4})?)$' }),
        Type.Number({ minimum: 0, maximum: 100 }),
      ],
      options,
    ),
  )
const MAX_QUANTITY = 999_999_999_999

const Discount = Type.Optional(
  Type.Object({ percent: Percent(), amount: Positive() }, { description: 'Give percent or amount.' }),
)

const PARTY = {
  name: Text(200),
  address: Type.Optional(Type.Array(Text(200), { maxItems: 6, description: 'Lines: street, house, suite.' })),
  city: Maybe(100),
  postcode: Maybe(20),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'Such as DE.' })),
  taxId: Maybe(50, { description: 'For value added tax with the country first: DE123456789.' }),
  registration: Maybe(50, { description: 'Number in a register of companies.' }),
  email: Maybe(200),
  phone: Maybe(50),
}

const Item = Type.Object({
  description: Text(5000, { description: 'The first line is the name of the item.' }),
  quantity: Type.Union([Decimal(), Type.Number({ minimum: -MAX_QUANTITY, maximum: MAX_QUANTITY })], { default: '1' }),
  unit: Maybe(20, { description: 'Such as h, day, kg, or a code of UN/ECE Recommendation 20.' }),
  unitPrice: Type.Union([Decimal(), Type.Number({ minimum: -MAX_NUMBER, maximum: MAX_NUMBER })], {
    description: 'A decimal: 12.50, as a string or a number.',
  }),
  discount: Discount,
  taxRate: Percent({ description: 'Percent: 19.' }),
  taxCategory: Type.Optional(
    Choice(TAX_CATEGORIES, {
      description:
        'Left out: S, or Z for a rate of 0. E exempt, AE reverse charge, K within the EU, G export, O no tax.',
    }),
  ),
})

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt'] as const
export const TYPES = ['invoice', 'credit-note', 'quote', 'receipt', 'pro-forma'] as const
export const TEMPLATES = ['classic', 'modern', 'minimal'] as const
const EINVOICES = ['ubl', 'cii', 'factur-x'] as const

export const INVOICE_FIELDS = {
  seller: Type.Object({ ...PARTY, logo: Type.Optional(ImagePart('Shown at the top.')) }),
  buyer: Type.Object(PARTY),
  number: Text(60),
  issueDate: Day(),
  dueDate: Type.Optional(Day()),
  deliveryDate: Type.Optional(Day()),
  buyerReference: Maybe(100, { description: 'Such as a Leitweg-ID.' }),
  purchaseOrder: Maybe(100),
  correctedInvoice: Maybe(60, { description: 'Of a credit note.' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217: EUR.' }),
  locale: Type.String({
    default: 'en-US',
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
    description: 'How amounts and dates are written.',
  }),
  items: Type.Array(Item, { minItems: 1, maxItems: 500 }),
  taxInclusive: Type.Boolean({ default: false, description: 'Prices include tax.' }),
  discount: Discount,
  shipping: Positive({ description: 'Taxed as the items are, in proportion.' }),
  paid: Positive({ description: 'Paid already.' }),
  taxNote: Maybe(500, { description: 'Why there is no tax.' }),
  notes: Maybe(5000),
  terms: Maybe(5000, { description: 'Of payment.' }),
  paymentLinks: Type.Optional(
    Type.Array(
      Type.Object({
        label: Text(100),
        url: Type.String({ pattern: '^https?://', maxLength: 1000 }),
        qr: Type.Boolean({ default: false }),
      }),
      { maxItems: 5 },
    ),
  ),
  bank: Type.Optional(
    Type.Object({
      iban: Type.String({ pattern: '^[A-Z]{2}\\d{2}[A-Z0-9 ]{10,36}$' }),
      bic: Type.Optional(Type.String({ pattern: '^[A-Z0-9]{8}([A-Z0-9]{3})?$' })),
      accountName: Maybe(70),
    }),
  ),
  epcQr: Type.Boolean({ default: false, description: 'For euros, with bank.' }),
  template: Choice(TEMPLATES, { default: 'classic' }),
  color: CssColor({ default: '#1f4e79' }),
  language: Choice(LANGUAGES, { default: 'en', description: 'Of the labels.' }),
  type: Choice(TYPES, { default: 'invoice' }),
  format: Type.Optional(Choice(['pdf', 'html', 'json'])),
  einvoice: Type.Optional(
    Choice(EINVOICES, {
      description: 'EN 16931, instead of format.',
    }),
  ),
  rounding: Choice(['line', 'total'], {
    default: 'total',
    description: 'Where tax is rounded.',
  }),
} satisfies TProperties

const InvoiceInput = Type.Object(INVOICE_FIELDS)
export type InvoiceInput = Omit<Static<typeof InvoiceInput>, 'seller'> & {
  seller: Static<typeof InvoiceInput>['seller'] & { logo?: InputFile }
}
export type ItemInput = InvoiceInput['items'][number]
