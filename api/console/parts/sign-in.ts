import { encode } from 'uqr'
import type { Operator } from '../../../sql/operator.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderNotice } from '../../pages/parts/layout.ts'
import { renderOpenPage } from './layout.ts'

export function renderSignIn({ hasPasskeys, fault }: { hasPasskeys: boolean; fault?: string }): Html {
  const passkey = hasPasskeys
    ? html`<button class="button quiet wide" type="button" data-passkey="/sign-in/passkey" hidden>Use a passkey</button><p class="note bad" role="alert" hidden></p>`
    : html`<p class="dim small">Passkeys need a host name: set CONSOLE_URL.</p>`
  return renderOpenPage(
    'Sign in to the console',
    html`<h1>Console</h1>${fault !== undefined && renderNotice('bad', fault)}
<form method="post" action="/sign-in" class="stack">
<div class="field"><label for="name">Operator</label><input id="name" name="name" required autocomplete="username" autocapitalize="none" autofocus></div>
<div class="field"><label for="code">Code of your authenticator app</label><input id="code" name="code" required inputmode="numeric" autocomplete="one-time-code" maxlength="7"></div>
<button class="button wide" type="submit">Sign in</button></form>${passkey}<script src="/console/passkey.js" defer></script>`,
  )
}

interface Enrolment {
  token: string
  operator: Operator
  uri: string
  fault: string | undefined
  hasPasskeys: boolean
}

export function renderEnrolment({ token, operator, uri, fault, hasPasskeys }: Enrolment): Html {
  const secret = new URL(uri).searchParams.get('secret')!.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return renderOpenPage(
    'Open the console',
    html`<h1>Welcome, ${operator.name}</h1><p>Choose what you will sign in with. This link works once.</p>
${fault !== undefined && renderNotice('bad', fault)}
<h2>An authenticator app</h2>
<p>Scan the picture, or <a href="${uri}">open it in the app on this device</a>, or type <code>${secret}</code>.</p>
${renderQr(uri)}
<form method="post" action="/enrol/${token}/totp" class="stack"><div class="field"><label for="code">The code that the app shows</label><input id="code" name="code" required inputmode="numeric" autocomplete="one-time-code" maxlength="7"></div><button class="button wide" type="submit">Use the app</button></form>
${hasPasskeys && html`<h2>Or a passkey</h2><button class="button quiet wide" type="button" data-passkey="/enrol/${token}/passkey" data-is-new="yes" hidden>Make a passkey on this device</button><p class="note bad" role="alert" hidden></p><script src="/console/passkey.js" defer></script>`}`,
  )
}

function renderQr(text: string): Html {
  const { data, size } = encode(text)
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code for the authenticator app"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
