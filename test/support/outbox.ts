import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from './until.ts'

export interface KeptMail {
  to: string
  subject: string
  text: string
}

/** The mail an installation without a mail server has kept, oldest first. */
export async function mailIn(dataDir: string): Promise<KeptMail[]> {
  const folder = join(dataDir, 'outbox')
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.sort().map(name => readFile(join(folder, name), 'utf8')))
  return texts.map(text => JSON.parse(text) as KeptMail)
}

/** The path of the last link that was sent to an address. */
export function linkFor(dataDir: string, email: string): Promise<string> {
  return eventually(`mail to ${email}`, async () => {
    const mail = (await mailIn(dataDir)).findLast(({ to }) => to === email)
    return /\/sign-in\/link\/[\w-]+/.exec(mail?.text ?? '')?.[0]
  })
}
