import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMailer } from '../../../ops/providers/mail/open.ts'
import { openOutbox } from '../../../ops/providers/mail/outbox.ts'
import { freshFolder } from '../../support/machine/folder.ts'
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

/** Just enough of SMTP to receive one mail. */
async function openMailServer() {
  const received: string[] = []
  const server = createServer(socket => {
    let isData = false
    const answerLine = (line: string): string => {
      isData = line === 'DATA'
      if (isData) return '354 go on\r\n'
      return line === 'QUIT' ? '221 bye\r\n' : '250 fine\r\n'
    }
    socket.write('220 ready\r\n')
    socket.on('data', bytes => {
      for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
        received.push(line)
        if (!isData || line === '.') socket.write(answerLine(line))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { received, port: (server.address() as AddressInfo).port, close: () => server.close() }
}

test('with a server mail is sent to it and nothing is stored', async () => {
  await using folder = await freshFolder()
  const { received, port, close } = await openMailServer()
  const from = 'coinop <post@example.com>'
  const mailer = openMailer({ mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from }, dataDir: folder.path }, log)
  await mailer.send(mail)
  close()
  expect(received).toContain('MAIL FROM:<post@example.com>')
  expect(received).toContain('RCPT TO:<ada@example.com>')
  expect(received.join('\n')).toContain('https://example.com/sign-in/link/abc')
  expect(await readOutbox(folder.path)).toEqual([])
})
