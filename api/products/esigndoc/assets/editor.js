// Fields of a template are dragged and resized on the page; what is typed in the lines below moves them too.
const form = document.querySelector('form.placing')
const STEP = 0.5

for (const line of form.querySelectorAll('[data-line]')) followLine(line)

function followLine(line) {
  const index = line.dataset.line
  const input = letter => form.elements[letter + index]
  const spot = document.createElement('span')
  spot.className = 'spot own'
  spot.tabIndex = 0
  spot.setAttribute('role', 'button')
  const text = document.createElement('span')
  const grip = document.createElement('span')
  grip.className = 'grip'
  spot.append(text, grip)
  const read = letter => Number(String(input(letter).value).replace(',', '.'))
  const write = (letter, value) => {
    input(letter).value = String(Math.round(Math.max(0, Math.min(100, value)) * 100) / 100)
  }
  const show = () => {
    const key = input('k').value.trim()
    const page = form.querySelector(`[data-file="${read('f')}"][data-page="${read('p')}"]`)
    const isPlaced = key !== '' && page !== null && input('x').value !== '' && input('y').value !== ''
    spot.hidden = !isPlaced
    if (!isPlaced) return
    if (spot.parentElement !== page) page.append(spot)
    text.textContent = `${input('t').value}: ${key}`
    spot.setAttribute('aria-label', `Field ${key}; move it with the arrow keys, resize it with Shift`)
    const [w, h] = [read('w') || 28, read('h') || 4]
    Object.assign(spot.style, { left: `${read('x')}%`, top: `${read('y')}%`, width: `${w}%`, height: `${h}%` })
  }
  const move = (across, down) => {
    write('x', Math.min(100 - read('w'), read('x') + across))
    write('y', Math.min(100 - read('h'), read('y') + down))
  }
  const resize = (across, down) => {
    write('w', Math.max(1, Math.min(100 - read('x'), read('w') + across)))
    write('h', Math.max(1, Math.min(100 - read('y'), read('h') + down)))
  }
  let last
  spot.addEventListener('pointerdown', event => {
    spot.setPointerCapture(event.pointerId)
    last = { x: event.clientX, y: event.clientY, resizes: event.target === grip }
    event.preventDefault()
    spot.focus()
  })
  spot.addEventListener('pointermove', ({ clientX, clientY }) => {
    if (!last) return
    const box = spot.parentElement.getBoundingClientRect()
    const by = [((clientX - last.x) / box.width) * 100, ((clientY - last.y) / box.height) * 100]
    if (last.resizes) resize(...by)
    else move(...by)
    last = { ...last, x: clientX, y: clientY }
    show()
  })
  for (const name of ['pointerup', 'pointercancel'])
    spot.addEventListener(name, () => {
      last = undefined
    })
  spot.addEventListener('keydown', event => {
    const by = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key]
    if (!by) return
    event.preventDefault()
    if (event.shiftKey) resize(...by)
    else move(...by)
    show()
  })
  line.addEventListener('input', () => {
    // A new field begins on the first page, where it can be dragged from.
    if (input('k').value.trim() !== '' && input('x').value === '') {
      for (const [letter, value] of [['x', 10], ['y', 10], ['w', 28], ['h', 5]]) write(letter, value)
    }
    show()
  })
  show()
}
