/** An invoice after its amounts were computed. Amounts are in the smallest unit of the currency, decimals in millionths. */
export interface ComputedInvoice {
  type: 'invoice' | 'credit-note' | 'quote' | 'receipt' | 'pro-forma'
  number: string
  issueDate: string
  dueDate?: string
  deliveryDate?: string
  currency: string
  /** Digits after the point of the currency. */
  digits: number
  buyerReference?: string
  purchaseOrder?: string
  /** Of a credit note: the invoice that it corrects. */
  correctedInvoice?: string
  seller: Party
  buyer: Party
  lines: ComputedLine[]
  groups: TaxGroup[]
  notes?: string
  terms?: string
  bank?: { iban: string; bic?: string; accountName?: string }
  totals: Totals
}

export interface Party {
  name: string
  address?: string[]
  city?: string
  postcode?: string
  country?: string
  taxId?: string
  registration?: string
  email?: string
  phone?: string
}

export const TAX_CATEGORIES = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'L', 'M'] as const
export type TaxCategory = (typeof TAX_CATEGORIES)[number]

export interface ComputedLine {
  description: string
  quantity: bigint
  unit?: string
  /** As the invoice shows it. */
  unitPrice: bigint
  discount: bigint
  /** As the invoice shows it, after the discount. */
  amount: bigint
  /** Without tax. */
  netPrice: bigint
  netDiscount: bigint
  net: bigint
  /** Percent; absent where no tax is stated. */
  rate?: bigint
  category?: TaxCategory
}

/** What is taxed alike. */
export interface TaxGroup {
  rate: bigint
  category: TaxCategory
  /** Its parts of the discount and the shipping of the whole invoice, without tax. */
  discount: bigint
  shipping: bigint
  base: bigint
  tax: bigint
  reason?: string
}

export interface Totals {
  lines: bigint
  discount: bigint
  shipping: bigint
  net: bigint
  tax: bigint
  /** What makes up for rounding where prices include tax. */
  rounding: bigint
  gross: bigint
  paid: bigint
  due: bigint
}
