import type { TaxCategory } from '../../formats/einvoice/invoice.ts'

/** Why there is no tax, for the categories of which that must be said. */
export const REASONS: Partial<Record<TaxCategory, string>> = {
  E: 'Exempt from tax',
  AE: 'Reverse charge: the buyer owes the tax',
  K: 'Supply within the European Union',
  G: 'Export outside of the European Union',
  O: 'Not subject to tax',
}
