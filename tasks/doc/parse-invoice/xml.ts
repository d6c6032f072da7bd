import { Type } from 'typebox'
import { Choice } from '#kit'
import { type EInvoice, SYNTAXES } from '../../formats/einvoice/read.ts'
import { describeInvoice } from '../../formats/invoice/result.ts'

export const XmlFacts = Type.Optional(
  Type.Object(
    {
      syntax: Choice(SYNTAXES),
      profile: Type.Optional(Type.String()),
      isSigned: Type.Optional(Type.Boolean({ description: 'In a signed message; its signature is not checked.' })),
      invoices: Type.Optional(Type.Integer({ description: 'How many the file holds, of which `page` names one.' })),
    },
    { description: 'Of an electronic invoice.' },
  ),
)

interface Options {
  minConfidence: number
  lineItems: boolean
  page?: number | undefined
}

/** What an electronic invoice says. */
export function describeXml(
  { syntax, profile, isSigned, count, invoice }: EInvoice,
  { minConfidence, lineItems, page }: Options,
) {
  const shown = lineItems ? invoice : { ...invoice, lines: [] }
  const result = {
    ...describeInvoice(shown, minConfidence),
    ...{ source: 'xml' as const, engine: 'local' as const },
    xml: {
      syntax,
      ...(profile !== undefined && { profile }),
      ...(isSigned && { isSigned }),
      ...(count > 1 && { invoices: count }),
    },
  }
  return { result, warnings: count > 1 && page === undefined ? [warnOfSeveral(count)] : [], units: 1 }
}

function warnOfSeveral(count: number) {
  const message = `The file holds ${count} invoices; the first was read. Set page for others.`
  return { code: 'SEVERAL_INVOICES', message }
}
