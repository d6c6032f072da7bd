import { formatUsd, usd } from '#kit'
import {
  type Account,
  createAccount,
  creditAccount,
  listAccounts,
  readAccount,
  suspendAccount,
} from '../../sql/account.ts'
import { createLink } from '../../sql/session.ts'
import { createSignInLink, LINK_MINUTES } from '../providers/sign-in/link.ts'
import { formatFacts, formatTable, parseCount, parseId } from './print.ts'
import { type CliContext, UsageError, type Verbs } from './verb.ts'

export const verbs: Verbs = {
  create: {
    args: [],
    flags: ['name'],
    summary: 'Open an account and print its id.',
    async run({ db }, _args, { name }) {
      const { id } = await createAccount(db, { name })
      return { data: { id }, text: id }
    },
  },
  credit: {
    args: ['<id>', '<usd>'],
    flags: ['reference'],
    summary: 'Add money to an account.',
    async run({ db }, [id, amount], { reference }) {
      const { id: accountId } = await requireAccount({ db }, id)
      const balance = await creditAccount(db, {
        accountId,
        amountMicros: parseAmount(amount!),
        reference: reference ?? 'cli',
      })
      return { data: { id: accountId, balanceMicros: balance }, text: `balance ${formatUsd(balance)} USD` }
    },
  },
  show: {
    args: ['<id>'],
    summary: 'Print an account and its balance.',
    async run({ db }, [id]) {
      const account = await requireAccount({ db }, id)
      return { data: account, text: formatFacts(formatBalances(account)) }
    },
  },
  list: {
    args: [],
    flags: ['limit'],
    summary: 'Print the newest accounts.',
    async run({ db }, _args, { limit }) {
      const accounts = await listAccounts(db, parseCount('--limit', limit, 50), 0)
      const lines = accounts
        .map(formatBalances)
        .map(({ id, name, balance, held, suspended }) => [id, name, balance, held, suspended])
      return { data: accounts, text: formatTable(['id', 'name', 'balance', 'held', 'suspended'], lines) }
    },
  },
  link: {
    args: ['<id>'],
    summary: 'Print a link that opens the dashboard of an account; it works once and for 15 minutes.',
    async run({ db, config }, [id]) {
      const { id: accountId } = await requireAccount({ db }, id)
      const { url, hash } = createSignInLink(config)
      await createLink(db, { hash, accountId, minutes: LINK_MINUTES })
      return { data: { url }, text: url }
    },
  },
  suspend: {
    args: ['<id>'],
    summary: 'Refuse every call of an account.',
    run: (context, [id]) => setSuspended(context, id, true),
  },
  resume: {
    args: ['<id>'],
    summary: 'Accept its calls again.',
    run: (context, [id]) => setSuspended(context, id, false),
  },
}

async function setSuspended(context: CliContext, id: string | undefined, isSuspended: boolean) {
  const { id: accountId } = await requireAccount(context, id)
  await suspendAccount(context.db, accountId, isSuspended)
  return { data: await requireAccount(context, accountId), text: isSuspended ? 'suspended' : 'resumed' }
}

export async function requireAccount({ db }: Pick<CliContext, 'db'>, id: string | undefined): Promise<Account> {
  const account = await readAccount(db, parseId('an account', id))
  if (!account) throw new UsageError(`There is no account ${id}.`)
  return account
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
