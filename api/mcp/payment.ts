import { PRICE_FLOOR, type Problem } from '#kit'
import type { Offers } from '../intake/x402/offers.ts'
import type { ToolEntry } from '../surfaces/mcp/tools.ts'
import { describeValues, type ToolResult } from './content.ts'
import type { Fields } from './message.ts'
import type { ToolReply } from './tool-reply.ts'

/** The names under which deployed clients send a payment: by the protocol, and by its first version. */
const PAYMENT_KEYS = ['x402/payment', 'x402.payment']
const OFFER_KEY = 'x402/error'
const RECEIPTS: readonly [header: string, key: string][] = [
  ['payment-response', 'x402/payment-response'],
  ['x-payment-response', 'x402.payment-response'],
]

/** The payment of one call in the form of the header: an object, or its base64. */
export function readMetaPayment(meta: Fields): string | undefined {
  const payment = PAYMENT_KEYS.map(key => meta[key]).find(value => value !== undefined)
  if (payment === undefined || typeof payment === 'string') return payment
  return Buffer.from(JSON.stringify(payment)).toString('base64')
}

/** The result of a call that was not paid, or not enough: what to sign. No HTTP 402, because that ends an MCP client. */
export function describeOffer(problem: Problem, tool: ToolEntry, offers: Offers | undefined): ToolResult {
  const { error: message, code, ...hints } = problem.toBody()
  const { amountMicros } = hints
  const price = typeof amountMicros === 'string' ? BigInt(amountMicros) : PRICE_FLOOR
  const offer = offers?.makeForTool({ name: tool.tool, summary: tool.summary }, price) ?? { accepts: [] }
  const required = { x402Version: 2, error: 'PAYMENT_REQUIRED', ...offer, code, message, ...hints }
  return { ...describeValues(required, [], true), _meta: { [OFFER_KEY]: required } }
}

/** The receipts of a call, as objects. */
export function readReceipts(reply: ToolReply): Fields {
  const found = RECEIPTS.flatMap(([header, key]) => {
    const receipt = reply.getHeader(header)
    return typeof receipt === 'string' ? [[key, JSON.parse(Buffer.from(receipt, 'base64').toString('utf8'))]] : []
  })
  return Object.fromEntries(found) as Fields
}
