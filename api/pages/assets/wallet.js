// What a wallet in the browser can do here: sign in, join the account, and top it up. Pages work without it.
const wallets = new Map()
const forms = [...document.querySelectorAll('form[data-wallet]')]
const DEEDS = { 'sign-in': signIn, join: signIn, pay }

window.addEventListener('eip6963:announceProvider', ({ detail }) =>
  meet(detail.info.uuid, detail.info.name, detail.provider),
)
window.dispatchEvent(new Event('eip6963:requestProvider'))
if (window.ethereum && wallets.size === 0) meet('injected', 'Wallet of this browser', window.ethereum)

/** The forms show themselves when there is a wallet; where there are several, one is chosen by name. */
function meet(id, name, provider) {
  if (wallets.has(id)) return
  wallets.delete('injected')
  wallets.set(id, { name, provider })
  for (const form of forms) {
    const choice = form.elements.wallet
    choice.replaceChildren(...[...wallets].map(([value, known]) => new Option(known.name, value)))
    choice.parentElement.hidden = wallets.size < 2
    form.hidden = false
  }
}

for (const form of forms) form.addEventListener('submit', event => void deed(form, event))

async function deed(form, event) {
  event.preventDefault()
  const said = form.querySelector('[role=status]')
  const button = form.querySelector('button')
  button.disabled = true
  try {
    await DEEDS[form.dataset.wallet](form, text => {
      said.textContent = text
    })
  } catch (error) {
    said.textContent =
      error.code === 4001
        ? 'You declined in the wallet; nothing has happened.'
        : (error.message ?? 'The wallet did not answer.')
    button.disabled = false
  }
}

async function signIn(form, say) {
  const { provider, address } = await chosen(form, say)
  const signed = await signChallenge(provider, address, say)
  form.elements.message.value = signed.message
  form.elements.signature.value = signed.signature
  form.submit()
}

/** The wallet joins the account before its first payment, so that the credit comes here and nowhere else. */
async function pay(form, say) {
  const { provider, address } = await chosen(form, say)
  const { chain, joined } = form.dataset
  if (!joined.includes(address.toLowerCase())) await join(form, provider, address, say)
  const ask = headers => send('/v1/billing/crypto-checkout', headers, { amountUsd: form.elements.amount.value.trim() })
  const offered = await ask({})
  const offer = await offered.json()
  if (offered.status !== 402) throw new Error(inWords(offer))
  const accepted = offer.accepted.find(({ asset }) => asset === form.elements.asset.value) ?? offer.accepted[0]
  say('Switching the wallet to the right chain…')
  await switchChain(provider, JSON.parse(chain))
  say('Please sign the payment in your wallet…')
  const payload = await signPayment(provider, address, accepted)
  const header = btoa(JSON.stringify({ x402Version: 2, resource: offer.resource, accepted, payload }))
  say('Paying… this takes some seconds.')
  await present(ask, header, say)
  location.assign('/dashboard/billing?checkout=wallet')
}

/** The same signed payment again while it is on its way: it is one payment, however often it is shown. */
async function present(ask, header, say) {
  for (let tries = 0; tries < 60; tries++) {
    const reply = await ask({ 'payment-signature': header })
    if (reply.ok) return
    const said = await reply.json()
    const wait = Number(reply.headers.get('retry-after'))
    if (!wait || (reply.status !== 503 && reply.status !== 409)) throw new Error(inWords(said))
    say('The payment is on its way to the chain…')
    await new Promise(resolve => setTimeout(resolve, wait * 1000))
  }
  throw new Error('The chain is slow. The credit comes as soon as the payment has arrived; do not pay again.')
}

async function join(form, provider, address, say) {
  const signed = await signChallenge(provider, address, say)
  const fields = new URLSearchParams({ csrf: form.elements.csrf.value, ...signed })
  const reply = await fetch('/dashboard/account/wallets', { method: 'POST', body: fields })
  if (!reply.ok) throw new Error('This wallet cannot join your account: it has an account of its own, or is busy.')
}

async function chosen(form, say) {
  say('Please look into your wallet…')
  const { provider } = wallets.get(form.elements.wallet.value)
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  if (!address) throw new Error('The wallet shows no account.')
  return { provider, address }
}

async function signChallenge(provider, address, say) {
  const asked = await fetch(`/v1/auth/challenge?wallet=${address}`)
  const { message, error } = await asked.json()
  if (!message) throw new Error(error)
  say('Please sign the text in your wallet: it costs nothing.')
  return { message, signature: await provider.request({ method: 'personal_sign', params: [hex(message), address] }) }
}

async function switchChain(provider, { chainId, ...more }) {
  const now = await provider.request({ method: 'eth_chainId' })
  if (Number(now) === Number(chainId)) return
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (error.code !== 4902) throw error
    await provider.request({ method: 'wallet_addEthereumChain', params: [{ chainId, ...more }] })
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  }
}

const field = (name, type) => ({ name, type })
const TYPES = {
  EIP712Domain: [
    field('name', 'string'),
    field('version', 'string'),
    field('chainId', 'uint256'),
    field('verifyingContract', 'address'),
  ],
  TransferWithAuthorization: [
    field('from', 'address'),
    field('to', 'address'),
    field('value', 'uint256'),
    field('validAfter', 'uint256'),
    field('validBefore', 'uint256'),
    field('nonce', 'bytes32'),
  ],
}

async function signPayment(provider, from, { payTo, amount, asset, network, maxTimeoutSeconds, extra }) {
  const authorization = {
    from,
    to: payTo,
    value: amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1000) + maxTimeoutSeconds),
    nonce: bytesHex(crypto.getRandomValues(new Uint8Array(32))),
  }
  const domain = {
    name: extra.name,
    version: extra.version,
    chainId: Number(network.split(':')[1]),
    verifyingContract: asset,
  }
  const data = JSON.stringify({
    types: TYPES,
    domain,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const signature = await provider.request({ method: 'eth_signTypedData_v4', params: [from, data] })
  return { signature, authorization }
}

function send(path, headers, body) {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const REASONS = {
  invalid_exact_evm_insufficient_balance: 'The wallet does not have that much of this coin.',
  INVALID_PARAM: 'That amount cannot be paid here.',
}

function inWords({ code, reason, error }) {
  return (
    REASONS[reason] ??
    REASONS[error] ??
    REASONS[code] ??
    `The payment was refused (${reason ?? error ?? code}); nothing was charged.`
  )
}

function hex(text) {
  return bytesHex(new TextEncoder().encode(text))
}

function bytesHex(bytes) {
  return `0x${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}
