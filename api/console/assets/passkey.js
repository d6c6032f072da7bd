// Signs in with a passkey, or makes one. Without passkeys the buttons stay hidden, and the form beside them serves.
const fromBase64 = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0))
const toBase64 = bytes =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')

async function post(url, body) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body && JSON.stringify(body),
  })
  const answer = await reply.json()
  if (!reply.ok) throw new Error(answer.reason ?? answer.error)
  return answer
}

async function makePasskey(options) {
  const publicKey = {
    ...options,
    challenge: fromBase64(options.challenge),
    user: { ...options.user, id: fromBase64(options.user.id) },
    excludeCredentials: [],
  }
  const { id, rawId, type, response } = await navigator.credentials.create({ publicKey })
  const { clientDataJSON, attestationObject } = response
  return {
    ...{ id, rawId: toBase64(rawId), type, clientExtensionResults: {} },
    response: { clientDataJSON: toBase64(clientDataJSON), attestationObject: toBase64(attestationObject) },
  }
}

async function usePasskey(options) {
  const publicKey = { ...options, challenge: fromBase64(options.challenge), allowCredentials: [] }
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    ...{ id, rawId: toBase64(rawId), type, clientExtensionResults: {} },
    response: {
      clientDataJSON: toBase64(clientDataJSON),
      authenticatorData: toBase64(authenticatorData),
      signature: toBase64(signature),
      userHandle: userHandle ? toBase64(userHandle) : undefined,
    },
  }
}

for (const button of document.querySelectorAll('[data-passkey]')) {
  if (!window.PublicKeyCredential) break
  button.hidden = false
  const fault = button.nextElementSibling
  button.addEventListener('click', async () => {
    fault.hidden = true
    try {
      const options = await post(`${button.dataset.passkey}/options`)
      const answer = await (button.dataset.isNew ? makePasskey(options) : usePasskey(options))
      const { next } = await post(button.dataset.passkey, answer)
      location.assign(next)
    } catch (error) {
      fault.textContent = error.message
      fault.hidden = false
    }
  })
}
