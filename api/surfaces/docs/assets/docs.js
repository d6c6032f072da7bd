import { bytesOf, make, previewFile, renderText } from './preview.js'

const find = document.getElementById('find')
const families = document.getElementById('families')
const found = document.getElementById('found')
const form = document.querySelector('.try')
const calls = document.getElementById('calls')
const KEY_NAME = 'coinop key'

if (matchMedia('(max-width: 52rem)').matches) calls.open = false
// Only the list is scrolled to the marked call, not the page.
const list = document.querySelector('.calls')
const marked = list.querySelector('[aria-current]')
if (marked) list.scrollTop = marked.offsetTop - list.clientHeight / 2

// The list of calls is narrowed while the reader types; words that no name has go to the search of the service.
addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return
  event.preventDefault()
  calls.open = true
  find.focus()
})
let searches = 0
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean)
  const links = [...families.querySelectorAll('a')].filter(link => link.dataset.words.includes('.'))
  const fitting = links.filter(link => words.every(word => link.dataset.words.includes(word)))
  families.hidden = words.length > 0
  found.hidden = words.length === 0
  searches++
  showFound(fitting.slice(0, 12).map(link => [link.pathname, link.dataset.words.split(' ')[0], link.title]))
  if (words.length > 0 && fitting.length === 0) void searchService(find.value, searches)
})
find.addEventListener('keydown', event => {
  if (event.key === 'Enter') found.querySelector('a')?.click()
  if (event.key === 'Escape') {
    find.value = ''
    find.dispatchEvent(new Event('input'))
  }
})

async function searchService(query, search) {
  const answer = await fetch(`/v1/search?q=${encodeURIComponent(query)}`).catch(() => undefined)
  if (!answer?.ok || search !== searches) return
  const { results } = await answer.json()
  showFound(results.map(({ name, summary }) => [`/docs/${name.replace('.', '/')}`, name, summary]))
}

function showFound(calls) {
  const items = calls.map(([href, name, summary]) => {
    const item = make('li')
    const link = make('a', undefined, { href })
    link.append(make('strong', name), ' ', make('span', summary, { className: 'summary' }))
    item.append(link)
    return item
  })
  found.replaceChildren(...(items.length > 0 ? items : [make('li', 'Nothing found.', { className: 'dim' })]))
}

if (form) prepareForm()

function prepareForm() {
  form.hidden = false
  const key = form.elements.namedItem('key')
  key.value = sessionStorage.getItem(KEY_NAME) ?? ''
  for (const button of form.querySelectorAll('[data-samples], [data-text]')) {
    button.addEventListener('click', () => void chooseSample(button))
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    sessionStorage.setItem(KEY_NAME, key.value)
    void send(key.value.trim(), event.submitter?.name === 'dryRun')
  })
}

/** Puts what the example sends into the file picker. */
async function chooseSample(button) {
  const { samples, text } = button.dataset
  const transfer = new DataTransfer()
  if (text !== undefined) transfer.items.add(new File([text], 'sample.txt'))
  for (const name of samples?.split(' ') ?? []) transfer.items.add(new File([await fetchSample(name)], name))
  button.previousElementSibling.files = transfer.files
}

async function fetchSample(name) {
  return (await fetch(`/docs/samples/${name}`)).blob()
}

/** Inside of JSON, `sample:sign.png` stands for that file, as in the printed examples. */
async function fillSamples(value) {
  if (typeof value === 'string' && value.startsWith('sample:')) {
    const bytes = new Uint8Array(await (await fetchSample(value.slice(7))).arrayBuffer())
    return { inline: btoa(String.fromCharCode(...bytes)) }
  }
  if (Array.isArray(value)) return Promise.all(value.map(fillSamples))
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).map(async ([name, inner]) => [name, await fillSamples(inner)])
  return Object.fromEntries(await Promise.all(pairs))
}

async function send(key, isDryRun) {
  const answer = form.querySelector('.answer')
  const buttons = form.querySelectorAll('[type=submit]')
  for (const button of buttons) button.disabled = true
  answer.replaceChildren(make('p', 'Sending…', { className: 'dim' }))
  try {
    const { url, init } = buildRequest(key, await readForm(isDryRun))
    const startedAt = performance.now()
    const response = await fetch(url, init)
    answer.replaceChildren(...(await renderAnswer(response, performance.now() - startedAt)))
  } catch (error) {
    answer.replaceChildren(make('p', error.message, { className: 'note bad', role: 'alert' }))
  }
  for (const button of buttons) button.disabled = false
  showAnswer(answer)
}

/** Brings the buttons to the top if the answer below them is not wholly in view. */
function showAnswer(answer) {
  const { top, bottom } = answer.getBoundingClientRect()
  if (top < 0 || bottom > innerHeight) answer.previousElementSibling.scrollIntoView({ block: 'start' })
}

/** The filled-in values by where they go. */
async function readForm(isDryRun) {
  const values = { path: {}, query: {}, body: isDryRun ? { dryRun: true } : {}, files: [] }
  for (const control of form.querySelectorAll('[data-name]')) {
    const { name, kind, place } = control.dataset
    if (kind === 'file') for (const file of control.files) values.files.push([name, file])
    else if (control.value !== '')
      values[place][name] = place === 'body' ? readValue(control.value, kind, name) : control.value
  }
  return { ...values, body: await fillSamples(values.body) }
}

function buildRequest(key, values) {
  const { method, path } = form.dataset
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.path[name] ?? ''))
  const query = new URLSearchParams(values.query)
  const url = query.size > 0 ? `${address}?${query}` : address
  const headers = key ? { authorization: `Bearer ${key}` } : {}
  if (method === 'GET' || method === 'DELETE') return { url, init: { method, headers } }
  if (values.files.length > 0) return { url, init: { method, headers, body: buildForm(values) } }
  headers['content-type'] = 'application/json'
  return { url, init: { method, headers, body: JSON.stringify(values.body) } }
}

function buildForm({ body, files }) {
  const data = new FormData()
  for (const [name, file] of files) data.append(name, file, file.name)
  data.append('options', JSON.stringify(body))
  return data
}

function readValue(text, kind, name) {
  if (kind === 'number') return Number(text)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'text') return text
  if (kind === 'mixed') return Number.isFinite(Number(text)) ? Number(text) : text
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`The field ${name} must be JSON, such as {"a": 1}, [1, 2] or "text".`)
  }
}

async function renderAnswer(response, ms) {
  const charged = response.headers.get('x-service-charged-micros')
  const cost = charged === null ? '' : `, charged ${Number(charged) / 1e6} USD`
  const line = make('p', `${response.status}, ${Math.round(ms)} ms${cost}`, { className: 'small' })
  line.prepend(make('span', response.ok ? 'OK' : 'Failed', { className: `pill ${response.ok ? 'good' : 'bad'}` }), ' ')
  const type = response.headers.get('content-type') ?? ''
  if (!type.includes('json')) return [line, ...(await previewFile(await response.blob()))]
  const result = await response.json()
  const previews = []
  if (result?.output) previews.push(...(await previewOutput(result.output)))
  for (const file of Array.isArray(result?.files) ? result.files.slice(0, 20) : []) {
    previews.push(...(file.output ? await previewOutput(file.output) : await previewOutput(file)))
  }
  return [line, ...previews, renderText(JSON.stringify(result, shortenFile, 2))]
}

async function previewOutput({ inline, outputUrl, outputKey, contentType }) {
  if (inline) return previewFile(new Blob([bytesOf(inline)], { type: contentType }))
  return outputUrl ? [make('a', `Download ${contentType ?? outputKey}`, { href: outputUrl })] : []
}

/** Base64 is of no use to a reader. */
function shortenFile(name, value) {
  return name === 'inline' && typeof value === 'string' && value.length > 200
    ? `${value.slice(0, 40)}… (${value.length} characters)`
    : value
}
