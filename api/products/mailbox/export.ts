import { isUtf8 } from 'node:buffer'
import { Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { listMessages, type MailboxOf, readMessage } from '../../../sql/mailbox/messages.ts'
import { parseWireId } from '../lease/index.ts'

const PAGE = 100

/** The messages of a mailbox as lines of JSON, one in memory at a time. Those that are deleted meanwhile are left out. */
export async function* exportMessages(db: Db, mailbox: MailboxOf): AsyncGenerator<string> {
  let after: string | undefined
  for (;;) {
    const { items } = await listMessages(db, mailbox, { after, isUnread: false, limit: PAGE })
    const page = items.slice(0, PAGE)
    for (const item of page) {
      const body = await readBody(db, mailbox, toUuid(item.id))
      if (body) yield `${JSON.stringify({ ...item, ...describeBody(body) })}\n`
    }
    if (items.length <= PAGE) return
    after = toUuid(page.at(-1)!.id)
  }
}

async function readBody(db: Db, mailbox: MailboxOf, id: string): Promise<Buffer | undefined> {
  try {
    return (await readMessage(db, mailbox, id, false)).body
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

function describeBody(body: Buffer): { encoding: string; content: string } {
  const encoding = isUtf8(body) ? 'utf-8' : 'base64'
  return { encoding, content: body.toString(encoding) }
}

function toUuid(messageId: string): string {
  return parseWireId('msg_', messageId)
}
