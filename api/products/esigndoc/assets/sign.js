// The page of signers works as a plain form; this makes it nicer: drawing, saving as one goes, walking from field to field.
const form = document.querySelector('form.fill')
const leaves = document.querySelector('.leaves')

for (const part of document.querySelectorAll('[data-script]')) part.hidden = false
tellOpened()
followZoom()
if (form) {
  followWays()
  followDrawing()
  followFields()
  form.addEventListener('keydown', ignoreEnter)
}

/** A person is there, not a program that follows links. */
function tellOpened() {
  const token = location.pathname.split('/')[2]
  if (token) fetch(`/v1/esigndoc/sign/${token}/open`, { method: 'POST', keepalive: true }).catch(() => undefined)
}

function followZoom() {
  let level = 0
  for (const button of document.querySelectorAll('[data-zoom]'))
    button.addEventListener('click', () => {
      leaves.classList.remove(`zoom-${level}`)
      level = Math.max(0, Math.min(3, level + Number(button.dataset.zoom)))
      if (level > 0) leaves.classList.add(`zoom-${level}`)
    })
}

/** Shows one way to make a signature at a time. */
function followWays() {
  const ways = form.querySelectorAll('[data-way]')
  const show = () => {
    const chosen = form.querySelector('input[name=mode]:checked')?.value
    for (const way of ways) way.hidden = way.dataset.way !== chosen
  }
  for (const radio of form.querySelectorAll('input[name=mode]')) radio.addEventListener('change', show)
  show()
}

/** The Enter key in a field would send the form with half of it filled in, and lose what was drawn. */
function ignoreEnter(event) {
  if (event.key === 'Enter' && event.target.matches('input')) event.preventDefault()
}

/** So many lines of so many points does the service take. */
const MAX_STROKES = 200
const MAX_POINTS = 5_000

function thin(points) {
  const step = Math.ceil(points.length / (MAX_POINTS - 1))
  return step === 1 ? points : points.filter((_, at) => at % step === 0 || at === points.length - 1)
}

function followDrawing() {
  const canvas = form.querySelector('canvas')
  const kept = form.querySelector('input[name=drawn]')
  if (!canvas || !kept) return
  const pen = canvas.getContext('2d')
  Object.assign(pen, { lineWidth: 3, lineCap: 'round', lineJoin: 'round', strokeStyle: '#101828' })
  // What was drawn before the page came again because of a fault.
  const strokes = kept.value ? JSON.parse(kept.value).strokes : []
  let stroke
  const place = ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect()
    const x = ((clientX - box.left) / box.width) * canvas.width
    const y = ((clientY - box.top) / box.height) * canvas.height
    return [Math.round(x * 10) / 10, Math.round(y * 10) / 10]
  }
  const keep = () => {
    const drawing = { width: canvas.width, height: canvas.height, strokes: strokes.map(thin) }
    kept.value = strokes.length > 0 ? JSON.stringify(drawing) : ''
    showMarks(strokes.length > 0)
  }
  for (const points of strokes) {
    pen.beginPath()
    for (const point of points) pen.lineTo(...point)
    pen.stroke()
  }
  if (strokes.length > 0) keep()
  canvas.addEventListener('pointerdown', event => {
    if (strokes.length === MAX_STROKES) return
    canvas.setPointerCapture(event.pointerId)
    stroke = [place(event)]
    strokes.push(stroke)
    event.preventDefault()
  })
  canvas.addEventListener('pointermove', event => {
    if (!stroke) return
    // Only what is new is drawn: of a long line the whole would take longer with each point.
    pen.beginPath()
    pen.moveTo(...stroke.at(-1))
    const events = event.getCoalescedEvents?.() ?? []
    for (const one of events.length > 0 ? events : [event]) {
      const point = place(one)
      stroke.push(point)
      pen.lineTo(...point)
    }
    pen.stroke()
  })
  for (const name of ['pointerup', 'pointercancel'])
    canvas.addEventListener(name, () => {
      stroke = undefined
      keep()
    })
  form.querySelector('[data-clear]')?.addEventListener('click', () => {
    strokes.length = 0
    pen.clearRect(0, 0, canvas.width, canvas.height)
    keep()
  })
}

function showMarks(isFilled) {
  for (const anchor of form.querySelectorAll('.sign .anchor')) spotOf(anchor)?.classList.toggle('filled', isFilled)
}

function spotOf(element) {
  return document.getElementById(`at-${element.id}`)
}

function readValue(input) {
  if (input.type === 'checkbox' || input.type === 'radio') return input.checked
  return input.value === '' ? null : input.value
}

/** Shows what is filled in where it will stand, asks only for what is wanted, saves, and walks in reading order. */
function followFields() {
  const inputs = [...form.querySelectorAll('[data-field]')]
  const progress = form.querySelector('[data-progress]')
  let isSaving = false
  let timer
  const show = () => {
    for (const input of inputs) showInput(input)
    showWanted(inputs)
    if (progress && !isSaving) progress.textContent = describeProgress(progress, inputs)
  }
  const save = async () => {
    if (!(await sendValues(inputs)) || !progress) return
    isSaving = true
    progress.textContent = form.dataset.saved
    setTimeout(() => {
      isSaving = false
      show()
    }, 1_500)
  }
  form.addEventListener('input', event => {
    show()
    if (!event.target.dataset.field) return
    clearTimeout(timer)
    timer = setTimeout(() => void save(), 800)
  })
  show()
  walkThrough(inputs)
}

function isBox(input) {
  return input.type === 'checkbox' || input.type === 'radio'
}

function isFilled(input) {
  if (input.type === 'file') return input.files.length > 0
  return readValue(input) !== null && readValue(input) !== false
}

function showInput(input) {
  const spot = spotOf(input)
  if (!spot) return
  const text = isBox(input) ? (input.checked ? '✕' : '') : input.value
  spot.textContent = input.type === 'file' ? '' : text
  spot.classList.toggle('filled', isFilled(input))
}

/** Hides what is asked for only if another field has a value that it has not. */
function showWanted(inputs) {
  const pieces = [...form.querySelectorAll('[data-if]')]
  // What hides a piece may be hidden by a later one, so all are looked at until nothing changes.
  for (let rounds = 0; rounds < pieces.length; rounds += 1) {
    if (pieces.filter(piece => showIfWanted(piece, inputs)).length === 0) return
  }
}

/** Whether that has changed anything. */
function showIfWanted(piece, inputs) {
  const other = inputs.find(input => input.dataset.field === piece.dataset.if)
  const value = other?.closest('.piece[hidden]') ? null : other && readValue(other)
  const before = piece.hidden
  piece.hidden = other !== undefined && String(value ?? false) !== piece.dataset.equals
  return piece.hidden !== before
}

function describeProgress({ dataset }, inputs) {
  const done = inputs.filter(isFilled).length
  return dataset.progress.replace('{done}', String(done)).replace('{all}', String(inputs.length))
}

/** What is refused, because it is not whole yet, keeps nothing else from being saved. Whether all was. */
async function sendValues(inputs) {
  const saved = inputs.filter(input => input.type !== 'file')
  const values = Object.fromEntries(saved.map(input => [input.dataset.field, readValue(input)]))
  for (let refused = 0; refused < saved.length; refused += 1) {
    const answer = await postValues(values)
    if (answer?.ok !== false) return answer !== undefined && refused === 0
    const { field } = await answer.json().catch(() => ({}))
    if (!Object.hasOwn(values, field)) return false
    delete values[field]
  }
  return false
}

function postValues(values) {
  return fetch(`/v1/esigndoc/sign/${form.dataset.token}/fields`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ values }),
  }).catch(() => undefined)
}

/** Goes from field to field in reading order, on the page and in the form. */
function walkThrough(inputs) {
  const walk = form.querySelector('.walk')
  const stops = () => [...inputs.filter(input => !input.closest('[hidden]')), ...form.querySelectorAll('.sign .anchor')]
  let now = -1
  const mark = element => {
    const at = stops().indexOf(element)
    if (at >= 0) now = at
    for (const spot of document.querySelectorAll('.spot.now')) spot.classList.remove('now')
    if (element.id) spotOf(element)?.classList.add('now')
  }
  const enter = element => {
    const target = element?.matches('.anchor') ? form.querySelector('input[name=mode]:checked') : element
    target?.focus()
    if (element) mark(element)
  }
  form.addEventListener('focusin', ({ target }) => mark(target))
  for (const spot of document.querySelectorAll('a.spot'))
    spot.addEventListener('click', event => {
      event.preventDefault()
      enter(document.getElementById(spot.id.slice('at-'.length)))
    })
  if (walk) walk.hidden = false
  for (const button of form.querySelectorAll('[data-walk]'))
    button.addEventListener('click', () => {
      const all = stops()
      now = Math.max(0, Math.min(all.length - 1, now + Number(button.dataset.walk)))
      enter(all[now])
      spotOf(all[now])?.scrollIntoView({ block: 'center', behavior: 'smooth' })
    })
}
