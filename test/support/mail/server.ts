import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

interface MailServer extends AsyncDisposable {
  url: string
  /** Everything that was received, by line. */
  lines: string[]
  /** The mails that were taken, as they were sent. */
  mails: string[]
  /** What it answers to a command instead of `250`; an empty answer ends the connection. */
  answers: Partial<Record<'MAIL' | 'RCPT' | 'DATA', string>>
}

/** Just enough of SMTP to receive mail, and to refuse it. */
export async function openMailServer(): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const found: Omit<MailServer, 'url' | keyof AsyncDisposable> = { lines: [], mails: [], answers: {} }
  const listener = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    converse(socket, server)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const server: MailServer = Object.assign(found, {
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  })
  return server
}

function converse(socket: Socket, server: MailServer): void {
  let text = ''
  let mail: string[] | undefined
  const answer = (line: string): string => {
    const command = line.slice(0, 4).toUpperCase()
    const set = server.answers[command as 'MAIL']
    if (set !== undefined) return set
    if (command === 'DATA') mail = []
    return { DATA: '354 go on', QUIT: '221 bye' }[command] ?? '250 fine'
  }
  const reply = (line: string) => (line === '' ? socket.destroy() : socket.write(`${line}\r\n`))
  reply('220 ready')
  socket.on('data', bytes => {
    const lines = (text + bytes.toString()).split('\r\n')
    text = lines.pop()!
    for (const line of lines) {
      server.lines.push(line)
      if (!mail) reply(answer(line))
      else if (line !== '.') mail.push(line)
      else {
        server.mails.push(mail.join('\n'))
        mail = undefined
        reply('250 taken')
      }
    }
  })
}
