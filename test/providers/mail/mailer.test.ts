import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MailRefused } from '../../../ops/providers/mail/contract.ts'
import { openMailer } from '../../../ops/providers/mail/open.ts'
import { openOutbox } from '../../../ops/providers/mail/outbox.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { readOutbox } from '../../support/servers/outbox.ts'

const mail = { to: 'ada@example.com', subject: 'Your link', text: 'https://example.com/sign-in/link/abc\n' }
const log = { info: () => undefined } as never

test('without a server mail is stored in the outbox, readable by its owner only', async () => {
  await using folder = await freshFolder()
  const mailer = openMailer({ mail: { from: 'coinop' }, dataDir: folder.path }, log)
  await mailer.send(mail)
  expect(mailer.isSending).toBe(false)
  expect(await readOutbox(folder.path)).toEqual([{ from: 'coinop', ...mail, createdAt: expect.any(String) }])
  const [name] = await readdir(join(folder.path, 'outbox'))
  expect((await stat(join(folder.path, 'outbox', name!))).mode & 0o777).toBe(0o600)
})

test('a link is written on a line of its own, to the output and to the file', async () => {
  await using folder = await freshFolder()
  const lines: string[] = []
  const link = 'https://example.com/sign-in/link/abc'
  await openOutbox(folder.path, 'coinop', log, line => lines.push(line)).send({ ...mail, link })
  await openOutbox(folder.path, 'coinop', log, line => lines.push(line)).send(mail)
  expect(lines).toEqual([link])
  const texts = await Promise.all((await readdir(folder.path)).map(name => readFile(join(folder.path, name), 'utf8')))
  expect(texts.join('').split('\n')).toContain(`  "link": "${link}",`)
})

test('with a server mail is sent to it and nothing is stored', async () => {
  await using folder = await freshFolder()
  await using server = await openMailServer()
  const from = 'coinop <post@example.com>'
  const mailer = openMailer({ mail: { smtpUrl: server.url, from }, dataDir: folder.path }, log)
  await mailer.send({ ...mail, messageId: 'one@example.com' })
  expect(server.lines).toContain('MAIL FROM:<post@example.com>')
  expect(server.lines).toContain('RCPT TO:<ada@example.com>')
  expect(server.lines).toContain('Message-ID: <one@example.com>')
  expect(server.lines.join('\n')).toContain('https://example.com/sign-in/link/abc')
  expect(await readOutbox(folder.path)).toEqual([])
})

test('a recipient that the server does not know is told from failures that may pass', async () => {
  await using server = await openMailServer()
  const mailer = openMailer({ mail: { smtpUrl: server.url, from: 'post@example.com' }, dataDir: '' }, log)
  server.answers.RCPT = '550 no such user'
  await expect(mailer.send(mail)).rejects.toThrow(MailRefused)
  for (const [command, answer] of [
    ['RCPT', '450 come back later'],
    ['MAIL', '550 you may not send'],
  ] as const) {
    server.answers = { [command]: answer }
    const failure = await mailer.send(mail).catch((error: unknown) => error)
    expect([answer, failure instanceof Error, failure instanceof MailRefused]).toEqual([answer, true, false])
  }
})
