import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { products } from '../tasks/products/index.ts'
import type { ApiContext } from './context.ts'

/** Something that waits for a person. */
export interface InboxItem {
  /** What is wanted, such as `A question`. */
  kind: string
  title: string
  isUrgent: boolean
  /** The page on which it is done. */
  url: string
  since: string
  until: string
}

/** What waits for the person of an account, by the mail addresses and wallets that the account has proved. */
export type ListInbox = (context: ApiContext, accountId: string) => Promise<readonly InboxItem[]>

const folder = fileURLToPath(new URL('products/', import.meta.url))

/** Every product may have an inbox.ts, which default-exports a `ListInbox`. */
async function loadLists(): Promise<ListInbox[]> {
  const files = products.map(({ name }) => `${folder}${name}/inbox.ts`).filter(file => existsSync(file))
  const modules = await Promise.all(files.map(file => import(file) as Promise<{ default: ListInbox }>))
  return modules.map(module => module.default)
}

let lists: Promise<ListInbox[]> | undefined

/** What is urgent comes first, and then what ends first. */
export async function listInbox(context: ApiContext, accountId: string): Promise<InboxItem[]> {
  lists ??= loadLists()
  const found = await Promise.all((await lists).map(list => list(context, accountId)))
  return found
    .flat()
    .sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent) || one.until.localeCompare(other.until))
}
