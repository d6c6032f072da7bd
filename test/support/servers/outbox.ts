import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../machine/eventually.ts'

interface OutboxMail {
  to: string
  subject: string
  text: string
}

/** The mail in the outbox of an installation without a mail server, oldest first. */
export async function readOutbox(dataDir: string): Promise<OutboxMail[]> {
  const folder = join(dataDir, 'outbox')
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.sort().map(name => readFile(join(folder, name), 'utf8')))
  return texts.map(text => JSON.parse(text) as OutboxMail)
}

/** Waits for mail to an address and gives the path of its sign-in link. */
export function waitForSignInLink(dataDir: string, email: string): Promise<string> {
  return eventually(`mail to ${email}`, async () => {
    const mail = (await readOutbox(dataDir)).findLast(({ to }) => to === email)
    return /\/sign-in\/link\/[\w-]+/.exec(mail?.text ?? '')?.[0]
  })
}
