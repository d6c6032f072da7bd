// Lets a browser wallet sign in, be linked to the account, and top it up. The pages also work without this script. What is
// said of any page is in the texts of its form; payments are made on pages in English only.
const wallets = new Map()
const forms = [...document.querySelectorAll('form[data-wallet]')]
const ACTIONS = { 'sign-in': signIn, link: signIn, pay, agree }

window.addEventListener('eip6963:announceProvider', ({ detail }) =>
  addWallet(detail.info.uuid, detail.info.name, detail.provider),
)
window.dispatchEvent(new Event('eip6963:requestProvider'))
if (window.ethereum && wallets.size === 0) addWallet('injected', undefined, window.ethereum)

/** The forms appear once there is a wallet; with several wallets, the visitor picks one by name. */
function addWallet(id, name, provider) {
  if (wallets.has(id)) return
  wallets.delete('injected')
  wallets.set(id, { name, provider })
  for (const form of forms) {
    const select = form.elements.wallet
    const { unnamed } = readTexts(form)
    select.replaceChildren(...[...wallets].map(([value, { name }]) => new Option(name ?? unnamed, value)))
    select.parentElement.hidden = wallets.size < 2
    form.hidden = false
  }
}

function readTexts(form) {
  return JSON.parse(form.dataset.texts)
}

for (const form of forms) form.addEventListener('submit', event => void runAction(form, event))

async function runAction(form, event) {
  event.preventDefault()
  const status = form.querySelector('[role=status]')
  const button = form.querySelector('button')
  button.disabled = true
  try {
    await ACTIONS[form.dataset.wallet](form, text => {
      status.textContent = text
    })
  } catch (error) {
    const { declined, silent } = readTexts(form)
    status.textContent = error.code === 4001 ? declined : (error.message ?? silent)
    button.disabled = false
  }
}

async function signIn(form, showStatus) {
  const { provider, address } = await selectAccount(form, showStatus)
  const signed = await signChallenge(form, provider, address, showStatus)
  form.elements.message.value = signed.message
  form.elements.signature.value = signed.signature
  form.submit()
}

/** Signs the typed data of the form, as they are shown on the page, at the time of now. Wallets refuse data of a network they are not on. */
async function agree(form, showStatus) {
  const { provider, address } = await selectAccount(form, showStatus)
  const data = JSON.parse(form.dataset.typed)
  const texts = readTexts(form)
  // A contract names its party, the proof for a document its wallet.
  const signer = data.message.party ?? data.message.wallet
  if (signer.toLowerCase() !== address.toLowerCase()) throw new Error(texts.otherAccount.replace('{address}', signer))
  if (form.dataset.chain) {
    showStatus(texts.switching)
    await switchChain(provider, JSON.parse(form.dataset.chain), texts)
  }
  data.message.signedAt = Math.floor(Date.now() / 1000)
  showStatus(texts.signing)
  const signature = await provider.request({ method: 'eth_signTypedData_v4', params: [address, JSON.stringify(data)] })
  form.elements.address.value = address
  form.elements.signedAt.value = data.message.signedAt
  form.elements.signature.value = signature
  form.submit()
}

/** The wallet is linked to the account before its first payment, so that the credit is added to this account. */
async function pay(form, showStatus) {
  const { provider, address } = await selectAccount(form, showStatus)
  const { chain, linked } = form.dataset
  if (!linked.includes(address.toLowerCase())) await link(form, provider, address, showStatus)
  const request = headers =>
    post('/v1/billing/crypto-checkout', headers, { amountUsd: form.elements.amount.value.trim() })
  const offerReply = await request({})
  const offer = await offerReply.json()
  if (offerReply.status !== 402) throw new Error(describeRefusal(offer))
  const accepted = offer.accepted.find(({ asset }) => asset === form.elements.asset.value) ?? offer.accepted[0]
  const texts = readTexts(form)
  showStatus(texts.switching)
  await switchChain(provider, JSON.parse(chain), texts)
  showStatus('Please sign the payment in your wallet…')
  const payload = await signPayment(provider, address, accepted)
  const header = btoa(JSON.stringify({ x402Version: 2, resource: offer.resource, accepted, payload }))
  showStatus('Paying… This takes a few seconds.')
  await submitPayment(request, header, showStatus)
  location.assign('/dashboard/billing?checkout=wallet')
}

/** Sends the signed payment again until it has settled. It stays one payment, however often it is sent. */
async function submitPayment(request, header, showStatus) {
  for (let tries = 0; tries < 60; tries++) {
    const reply = await request({ 'payment-signature': header })
    if (reply.ok) return
    const refusal = await reply.json()
    const waitSeconds = Number(reply.headers.get('retry-after'))
    if (!waitSeconds || (reply.status !== 503 && reply.status !== 409)) throw new Error(describeRefusal(refusal))
    showStatus('The payment is being settled…')
    await new Promise(resolve => setTimeout(resolve, waitSeconds * 1000))
  }
  throw new Error('The chain is slow. Do not pay again: the credit is added as soon as the payment arrives.')
}

async function link(form, provider, address, showStatus) {
  const signed = await signChallenge(form, provider, address, showStatus)
  const fields = new URLSearchParams({ csrf: form.elements.csrf.value, ...signed })
  const reply = await fetch('/dashboard/account/wallets', { method: 'POST', body: fields })
  if (!reply.ok)
    throw new Error(
      'This wallet cannot be linked: it belongs to another account, or one of its calls is still running.',
    )
}

async function selectAccount(form, showStatus) {
  const { opening, noAccount } = readTexts(form)
  showStatus(opening)
  const { provider } = wallets.get(form.elements.wallet.value)
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  if (!address) throw new Error(noAccount)
  return { provider, address }
}

async function signChallenge(form, provider, address, showStatus) {
  const reply = await fetch(`/v1/auth/challenge?wallet=${address}`)
  const { message, error } = await reply.json()
  if (!message) throw new Error(error)
  showStatus(readTexts(form).signing)
  return {
    message,
    signature: await provider.request({ method: 'personal_sign', params: [textToHex(message), address] }),
  }
}

async function switchChain(provider, { chainId, ...chain }, { unknownNetwork }) {
  const currentChainId = await provider.request({ method: 'eth_chainId' })
  if (Number(currentChainId) === Number(chainId)) return
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (error.code !== 4902) throw error
    if (!chain.rpcUrls) throw new Error(unknownNetwork.replace('{network}', Number(chainId)))
    await provider.request({ method: 'wallet_addEthereumChain', params: [{ chainId, ...chain }] })
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
    nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
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

function post(path, headers, body) {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const REASONS = {
  invalid_exact_evm_insufficient_balance: 'The wallet does not hold enough of this currency.',
  INVALID_PARAM: 'This amount is not accepted.',
}

function describeRefusal({ code, reason, error }) {
  return (
    REASONS[reason] ??
    REASONS[error] ??
    REASONS[code] ??
    `The payment was refused (${reason ?? error ?? code}). Nothing was charged.`
  )
}

function textToHex(text) {
  return bytesToHex(new TextEncoder().encode(text))
}

function bytesToHex(bytes) {
  return `0x${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}
