import { formatUsd, usd } from '#kit'
import {
  type Account,
  createAccount,
  creditAccount,
  creditOnce,
  listAccounts,
  readAccount,
  suspendAccount,
} from '../../sql/account.ts'
import type { Db } from '../../sql/db.ts'
import { type LaneRule, readLaneRule, setLaneRule } from '../../sql/lane.ts'
import { eraseAccount, exportAccount } from '../../sql/product/account-data.ts'
import { createLink } from '../../sql/session.ts'
import { createSignInLink, LINK_MINUTES } from '../providers/sign-in/link.ts'
import { openStore } from '../providers/storage/open.ts'
import { formatFacts, formatTable, parseCount, parseId, toJson } from './print.ts'
import { type CliContext, type Runs, UsageError } from './verb.ts'

export const runs: Runs = {
  async create({ db }, _args, { name }) {
    const { id } = await createAccount(db, { name })
    return { data: { id }, text: id }
  },
  async credit({ db }, [id, amount], { reference }) {
    const { id: accountId } = await requireUsable({ db }, id)
    const amountMicros = parseAmount(amount!)
    if (reference !== undefined) return creditByReference(db, { accountId, amountMicros, reference: reference.trim() })
    const balance = await creditAccount(db, { accountId, amountMicros, reference: 'cli' })
    return { data: { id: accountId, balanceMicros: balance }, text: `balance ${formatUsd(balance)} USD` }
  },
  async show({ db }, [id]) {
    const account = await requireAccount({ db }, id)
    return { data: account, text: formatFacts(formatBalances(account)) }
  },
  async list({ db }, _args, { limit }) {
    const accounts = await listAccounts(db, parseCount('--limit', limit, 50), 0)
    const lines = accounts
      .map(formatBalances)
      .map(({ id, name, balance, held, suspended }) => [id, name, balance, held, suspended])
    return { data: accounts, text: formatTable(['id', 'name', 'balance', 'held', 'suspended'], lines) }
  },
  async link({ db, config }, [id]) {
    const { id: accountId } = await requireAccount({ db }, id)
    const { url, hash } = createSignInLink(config)
    await createLink(db, { hash, accountId, minutes: LINK_MINUTES })
    return { data: { url }, text: url }
  },
  async lanes({ db }, [id], flags) {
    const { id: accountId } = await requireAccount({ db }, id)
    const { share, running, urgency } = flags
    const before = await readLaneRule(db, accountId)
    const rule = {
      sharePercent: parseRule('--share', share, { known: before.sharePercent, most: 100 }),
      maxRunning: parseRule('--running', running, { known: before.maxRunning, most: 1_000_000 }),
      urgency: urgency === undefined ? before.urgency : parseUrgency(urgency),
    }
    if ([share, running, urgency].some(given => given !== undefined)) await setLaneRule(db, accountId, rule)
    return { data: rule, text: formatFacts(formatRule(rule)) }
  },
  async export({ db }, [id]) {
    const { id: accountId } = await requireAccount({ db }, id)
    const data = await exportAccount(db, accountId)
    return { data, text: toJson(data) }
  },
  async erase({ db, config }, [id], { yes }) {
    const { id: accountId, balanceMicros } = await requireAccount({ db }, id)
    if (!yes) {
      const balance = `${formatUsd(BigInt(balanceMicros))} USD`
      throw new UsageError(`This cannot be undone, and the balance of ${balance} is lost. Add --yes to erase it.`)
    }
    const files = await eraseAccount(db, openStore(config), accountId)
    return { data: { id: accountId, files }, text: `erased, with ${files} files` }
  },
  suspend: (context, [id]) => setSuspended(context, id, true),
  resume: (context, [id]) => setSuspended(context, id, false),
}

/** The reference makes it once, so that it can be repeated when it is not known whether it was done. */
async function creditByReference(db: Db, credit: { accountId: string; amountMicros: bigint; reference: string }) {
  const { accountId, amountMicros, reference } = credit
  if (reference === '') throw new UsageError('--reference must not be empty.')
  const earlier = await creditOnce(db, credit)
  const { balanceMicros } = await requireAccount({ db }, accountId)
  const data = { id: accountId, balanceMicros, creditedBefore: earlier?.at ?? null }
  const balance = `balance ${formatUsd(BigInt(balanceMicros))} USD`
  if (!earlier) return { data, text: balance }
  const before = `The reference ${reference} was credited with ${formatUsd(BigInt(earlier.amountMicros))} USD at ${new Date(earlier.at).toISOString()}; nothing was moved`
  if (BigInt(earlier.amountMicros) !== amountMicros)
    throw new UsageError(`${before}. Name another reference to credit another amount.`)
  return { data, text: `${before}. ${balance}` }
}

async function setSuspended(context: CliContext, id: string | undefined, isSuspended: boolean) {
  const { id: accountId } = await requireUsable(context, id)
  await suspendAccount(context.db, accountId, isSuspended)
  return { data: await requireAccount(context, accountId), text: isSuspended ? 'suspended' : 'resumed' }
}

export async function requireAccount({ db }: Pick<CliContext, 'db'>, id: string | undefined): Promise<Account> {
  const account = await readAccount(db, parseId('an account', id))
  if (!account) throw new UsageError(`There is no account ${id}.`)
  return account
}

/** Money and keys are not given to an account of which only the books are left, or that was left for another one. */
export async function requireUsable(context: Pick<CliContext, 'db'>, id: string | undefined): Promise<Account> {
  const account = await requireAccount(context, id)
  if (account.erasedAt !== null) throw new UsageError(`The account ${id} was erased; only its books are left.`)
  if (account.movedTo !== null)
    throw new UsageError(`The wallet of the account ${id} has joined the account ${account.movedTo}; use that one.`)
  return account
}

const URGENCIES = ['high', 'normal', 'low', 'default']

/** In the order of the priorities of queues: lower is first. */
function parseUrgency(text: string): number {
  const at = URGENCIES.indexOf(text)
  if (at < 0) throw new UsageError('--urgency is low, normal, high or default.')
  return text === 'default' ? 0 : at - 1
}

function parseRule(
  flag: string,
  text: string | undefined,
  { known, most }: { known: number | null; most: number },
): number | null {
  if (text === undefined) return known
  if (text === 'default') return null
  const count = parseCount(flag, text, 0)
  if (count < 1 || count > most) throw new UsageError(`${flag} is between 1 and ${most}, or default.`)
  return count
}

function formatRule({ sharePercent, maxRunning, urgency }: LaneRule) {
  return { share: sharePercent ?? 'standard', running: maxRunning ?? 'standard', urgency: URGENCIES[urgency + 1]! }
}

function parseAmount(text: string): bigint {
  const amount = usd(text)
  if (amount === 0n) throw new UsageError('The amount must be greater than zero.')
  return amount
}

function formatBalances({ id, name, isTest, balanceMicros, heldMicros, suspendedAt, createdAt }: Account) {
  const balance = `${formatUsd(BigInt(balanceMicros))} USD`
  const held = `${formatUsd(BigInt(heldMicros))} USD`
  return { id, name, balance, held, test: isTest, suspended: suspendedAt, created: createdAt }
}
