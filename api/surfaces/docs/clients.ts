import { renderCodeSpans } from '../../pages/parts/code-spans.ts'
import { html } from '../../pages/parts/html.ts'
import { renderCode } from '../../pages/parts/layout.ts'
import type { SurfaceOptions } from '../entries.ts'
import { listInstallCommands } from '../sdk/addresses.ts'
import type { DocsPage } from './shell.ts'

/** What both clients do, as pairs of a title and a text. */
const RULES: readonly [title: string, text: string][] = [
  [
    'Files',
    'A path, bytes, a Blob or an open file, a stream, a source such as `{ text }`, or a file of an earlier answer. What is too large for the call is uploaded before it.',
  ],
  ['Price first', '`client.pdf.merge.quote(...)` asks for the price; nothing runs and nothing is charged.'],
  [
    'Long work',
    'A call that takes long is waited for. `client.pdf.ocr.start(...)` gives its ticket at once: `await ticket.wait()`.',
  ],
  [
    'Repeats',
    'A failed try is repeated only where that is safe. Paid calls carry an idempotency key, so a repeat is charged once.',
  ],
  ['Errors', 'A refusal is an error with `code` and `hints`, of a class for its code, such as `BadRangeError`.'],
  [
    'Payment',
    '`key` is an API key. `wallet` is a private key, or an account of viem in TypeScript: it pays each call by x402, up to 1 USD or what you allow, and signs in for free ones.',
  ],
  [
    'Proof',
    '`verifyWebhook` and `verify_webhook` check deliveries, `verifyWitness` and `verify_witness` what a baton held, `verifyReceipt` and `verify_receipt` what a call was charged (`client.receipt(jobId)`), all without this service.',
  ],
]

/** The page about the clients and the command line that this service makes of its own catalogue. */
export function describeClientsPage({ publicUrl }: SurfaceOptions): DocsPage {
  const { npm, npx, pip } = listInstallCommands({ publicUrl })
  const typescript = `import { Coinop } from 'coinop'

const client = new Coinop({ key: process.env.COINOP_KEY })
const { output } = await client.image.resize({ file: 'in.png', width: 400, format: 'webp' })
await client.save(output, 'out.webp')`
  const python = `from coinop import Coinop

client = Coinop(key="...")
answer = client.image.resize(file="in.png", width=400, format="webp")
client.save(answer["output"], "out.webp")`
  const commands = `${npx} --help   # without installing it
npm install --global ${publicUrl}/sdk.tgz
coinop login
coinop image resize in.png --width 400 -o out.webp
cat in.png | coinop image resize --width 400 > small.png
coinop search remove background noise
coinop balance
source <(coinop completion bash)   # or zsh; fish: coinop completion fish | source`
  const description =
    'Clients for TypeScript and Python and a command line, made by this service from its own catalogue.'
  const content = html`<h1>Clients</h1>
<p class="lead">${description} They fit this installation: every call that it has is in them, with its types.</p>
<h2 id="typescript">TypeScript</h2>
<p>For Node 20 and newer, browsers and other runtimes with fetch. It has no dependencies.</p>
${renderCode(npm, 'Installing the TypeScript client')}
${renderCode(typescript, 'A call in TypeScript')}
<h2 id="python">Python</h2>
<p>For Python 3.10 and newer. It needs only the standard library; ${renderCodeSpans('`Coinop(http=httpx.Client())` sends through httpx, and `AsyncCoinop` is the same with `await`.')}</p>
${renderCode(pip, 'Installing the Python client')}
<p class="small dim">${renderCodeSpans('pip reads the version of a wheel from its address, so it takes the one that `/sdk.txt` answers and not `/sdk.whl`, which is the same file.')}</p>
${renderCode(python, 'A call in Python')}
<h2 id="command">Command line</h2>
<p>The package for npm has it. Into a pipe goes the file of the answer; errors have exit codes.</p>
${renderCode(commands, 'Using the command line')}
<h2 id="clients-do">What the clients do</h2>
<div class="rules">${RULES.map(([title, text]) => html`<section><h3>${title}</h3><p>${renderCodeSpans(text)}</p></section>`)}</div>`
  return { path: '/docs/sdk', title: 'Clients', description, content }
}
