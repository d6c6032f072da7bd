import { formatUsd, usd } from '#kit'
import {
  type Account,
  createAccount,
  creditAccount,
  listAccounts,
  readAccount,
  suspendAccount,
} from '../../sql/account.ts'
import { offerLink } from '../../sql/session.ts'
import { LINK_MINUTES, newLink } from '../sign-in/link.ts'
import { countOf, facts, idOf, table } from './print.ts'
import { Mistake, type Room, type Verbs } from './verb.ts'

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
    summary: 'Put money in.',
    async run({ db }, [id, amount], { reference }) {
      const { id: accountId } = await mustRead({ db }, id)
      const balance = await creditAccount(db, {
        accountId,
        amountMicros: amountOf(amount!),
        reference: reference ?? 'cli',
      })
      return { data: { id: accountId, balanceMicros: balance }, text: `balance ${formatUsd(balance)} USD` }
    },
  },
  show: {
    args: ['<id>'],
    summary: 'Print how an account stands.',
    async run({ db }, [id]) {
      const account = await mustRead({ db }, id)
      return { data: account, text: facts(inDollars(account)) }
    },
  },
  list: {
    args: [],
    flags: ['limit'],
    summary: 'Print the newest accounts.',
    async run({ db }, _args, { limit }) {
      const accounts = await listAccounts(db, countOf('--limit', limit, 50), 0)
      const lines = accounts
        .map(inDollars)
        .map(({ id, name, balance, held, suspended }) => [id, name, balance, held, suspended])
      return { data: accounts, text: table(['id', 'name', 'balance', 'held', 'suspended'], lines) }
    },
  },
  link: {
    args: ['<id>'],
    summary: 'Print an address that opens the dashboard of an account, once and within 15 minutes.',
    async run({ db, config }, [id]) {
      const { id: accountId } = await mustRead({ db }, id)
      const { url, hash } = newLink(config)
      await offerLink(db, { hash, accountId, minutes: LINK_MINUTES })
      return { data: { url }, text: url }
    },
  },
  suspend: {
    args: ['<id>'],
    summary: 'Refuse every call of an account.',
    run: (room, [id]) => suspend(room, id, true),
  },
  resume: { args: ['<id>'], summary: 'Take its calls again.', run: (room, [id]) => suspend(room, id, false) },
}

async function suspend(room: Room, id: string | undefined, isSuspended: boolean) {
  const { id: accountId } = await mustRead(room, id)
  await suspendAccount(room.db, accountId, isSuspended)
  return { data: await mustRead(room, accountId), text: isSuspended ? 'suspended' : 'resumed' }
}

export async function mustRead({ db }: Pick<Room, 'db'>, id: string | undefined): Promise<Account> {
  const account = await readAccount(db, idOf('an account', id))
  if (!account) throw new Mistake(`There is no account ${id}.`)
  return account
}

function amountOf(text: string): bigint {
  const amount = usd(text)
  if (amount === 0n) throw new Mistake('The amount must be more than nothing.')
  return amount
}

function inDollars({ id, name, isTest, balanceMicros, heldMicros, suspendedAt, createdAt }: Account) {
  const balance = `${formatUsd(BigInt(balanceMicros))} USD`
  const held = `${formatUsd(BigInt(heldMicros))} USD`
  return { id, name, balance, held, test: isTest, suspended: suspendedAt, created: createdAt }
}
