/* global SwaggerUIBundle */

/** Calls go to where this page came from, whatever address the document prints: no other origin, no CORS. */
async function open() {
  const here = new URL('.', location.href)
  const answer = await fetch(new URL('openapi.json', here))
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
  const spec = await answer.json()
  spec.servers = [{ url: here.href.replace(/\/$/, '') }]
  SwaggerUIBundle({
    spec,
    domNode: document.getElementById('reference'),
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    syntaxHighlight: { activated: false },
    validatorUrl: null,
  })
}

open().catch(error => {
  const note = document.createElement('p')
  note.className = 'wait'
  note.textContent = `The reference cannot be shown: ${error.message}.`
  document.getElementById('reference').replaceChildren(note)
})
