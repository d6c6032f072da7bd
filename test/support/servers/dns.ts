import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface DnsServer extends AsyncDisposable {
  /** Its address, as a resolver takes it. */
  address: string
  queries: number
}

const TYPE_A = 1

/** A name server that gives the same IPv4 addresses for every name; each query may get others. */
export async function openDnsServer(answer: (query: number) => readonly string[]): Promise<DnsServer> {
  const socket = createSocket('udp4')
  let queries = 0
  socket.on('message', (message, sender) => {
    const endOfName = message.indexOf(0, 12)
    const question = message.subarray(12, endOfName + 5)
    const addresses = message.readUInt16BE(endOfName + 1) === TYPE_A ? answer(++queries) : []
    const header = Buffer.from(message.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.fill(0, 8)
    socket.send(Buffer.concat([header, question, ...addresses.map(buildRecord)]), sender.port, sender.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    get queries() {
      return queries
    },
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** A record for the name of the question, valid for no time at all. */
function buildRecord(address: string): Buffer {
  return Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
}
