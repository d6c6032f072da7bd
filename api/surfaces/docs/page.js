/* global SwaggerUIBundle */

/** Calls go to the origin of this page, whatever address the document names, so that they need no CORS. */
async function showReference() {
  const base = new URL('.', location.href)
  const reply = await fetch(new URL('openapi.json', base))
  if (!reply.ok) throw new Error(`the service returned status ${reply.status}`)
  const spec = await reply.json()
  spec.servers = [{ url: base.href.replace(/\/$/, '') }]
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

showReference().catch(error => {
  const note = document.createElement('p')
  note.className = 'wait'
  note.textContent = `The reference could not be loaded: ${error.message}.`
  document.getElementById('reference').replaceChildren(note)
})
