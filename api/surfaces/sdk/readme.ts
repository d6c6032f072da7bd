import type { SurfaceOptions } from '../entries.ts'

type Served = Pick<SurfaceOptions, 'publicUrl'>

/** Where the wheel is: pip reads name and version from the last part of its address. */
export function wheelPathOf(version: string): string {
  return `/sdk/coinop-${version}-py3-none-any.whl`
}

/** The commands that install the clients, as the documents print them. */
export function listInstallCommands({ publicUrl }: Served): Record<'npm' | 'npx' | 'pip', string> {
  return {
    npm: `npm install ${publicUrl}/sdk.tgz`,
    npx: `npx ${publicUrl}/cli.tgz`,
    // pip reads the name and the version of a wheel from its address, so it cannot be given /sdk.whl itself.
    pip: `pip install $(curl -s ${publicUrl}/sdk.txt)`,
  }
}

export function renderReadme({ publicUrl }: Served, version: string): string {
  const { npm } = listInstallCommands({ publicUrl })
  return `# coinop ${version}

The client of ${publicUrl}, made by it from its own catalogue: ${'`'}${npm}${'`'}. It has no dependencies.

${FENCE}ts
import { Coinop } from 'coinop'

const client = new Coinop({ key: process.env.COINOP_KEY })
const { output } = await client.pdf.merge({ files: ['a.pdf', 'b.pdf'] })
await client.save(output, 'merged.pdf')
${FENCE}

- A file is a path, bytes, a Blob or File, a stream, a ${'`'}URL${'`'}, a source such as ${'`'}{ text }${'`'}, or a file of an earlier answer. What
  is too large for the call is uploaded before it.
- ${'`'}client.pdf.merge.quote(...)${'`'} tells the price, ${'`'}client.pdf.merge.start(...)${'`'} gives a ticket: ${'`'}await ticket.wait()${'`'}.
- Paid calls are repeated after a failure with the same idempotency key, so they are charged once.
- A refusal is an error with ${'`'}code${'`'} and ${'`'}hints${'`'}, of a class of its own: ${'`'}catch (error) { if (error instanceof BadRangeError) ... }${'`'}
- ${'`'}new Coinop({ wallet: '0x...' })${'`'} pays each call by x402, up to ${'`'}maxPaymentUsd${'`'}; an account of viem is a wallet too.
- ${'`'}verifyWebhook(body, headers, secret)${'`'} checks a delivery, and ${'`'}verifyWitness(proof, jwks, content)${'`'} a witness, offline.

The same package has the command ${'`'}coinop${'`'}: ${'`'}npx coinop --help${'`'}.
`
}

const FENCE = '```'

export function renderMetadata({ publicUrl }: Served, version: string): string {
  return `Metadata-Version: 2.1
Name: coinop
Version: ${version}
Summary: The client of the coinop installation at ${publicUrl}
License: MIT
Requires-Python: >=3.10
Provides-Extra: httpx
Requires-Dist: httpx>=0.23; extra == "httpx"
Description-Content-Type: text/markdown

# coinop ${version}

The client of ${publicUrl}, made by it from its own catalogue. It needs only the standard library.

${FENCE}python
from coinop import Coinop

client = Coinop(key="...")
answer = client.pdf.merge(files=["a.pdf", "b.pdf"])
client.save(answer["output"], "merged.pdf")
${FENCE}

- A file is a path, bytes, an open file, a source such as ${'`'}{"text": "..."}${'`'}, or a file of an earlier answer.
- ${'`'}client.pdf.merge.quote(...)${'`'} tells the price, ${'`'}client.pdf.merge.start(...)${'`'} gives a ticket: ${'`'}ticket.wait()${'`'}.
- A refusal is an exception with ${'`'}code${'`'} and ${'`'}hints${'`'}, of a class of its own: ${'`'}coinop.BadRangeError${'`'}.
- ${'`'}Coinop(wallet="0x...")${'`'} pays each call by x402, up to ${'`'}max_payment_usd${'`'}.
- ${'`'}Coinop(http=httpx.Client())${'`'} sends through a client of httpx.
- ${'`'}coinop.verify_webhook(body, headers, secret)${'`'} and ${'`'}coinop.verify_witness(proof, jwks, content)${'`'} check offline.
- ${'`'}AsyncCoinop${'`'} is the same with ${'`'}await${'`'}.
`
}
