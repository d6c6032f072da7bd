import { formatUsd } from '#kit'
import type { StatementLine } from '../../../sql/ledger.ts'

const COLUMNS = ['time', 'type', 'operation', 'amount_usd', 'asset', 'status', 'job', 'key', 'transaction']

/** The ledger as CSV (RFC 4180). What leaves the balance is negative; what was released counts as zero. */
export async function* formatLedger(portions: AsyncIterable<readonly StatementLine[]>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const lines of portions) yield lines.map(formatLine).join('')
}

function formatLine(line: StatementLine): string {
  const { createdAt, type, serviceKey, status, direction, amountMicros, asset, jobId, keyPrefix, txHash } = line
  const micros = status === 'released' ? 0n : BigInt(amountMicros)
  const amount = formatUsd(direction === 'debit' ? -micros : micros)
  const texts = [serviceKey, asset ?? 'USD', jobId, keyPrefix, txHash].map(formatText)
  const [operation, currency, job, key, transaction] = texts
  const time = new Date(createdAt).toISOString()
  return `${[time, type, operation, amount, currency, status, job, key, transaction].join(',')}\r\n`
}

/** A spreadsheet must not take a text for a formula. */
function formatText(text = ''): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
