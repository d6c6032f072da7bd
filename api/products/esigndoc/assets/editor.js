// Fields of a template are dragged and resized on the page; what is typed in the lines below moves them too.
const form = document.querySelector('form.placing')
const STEP = 0.5

for (const line of form.querySelectorAll('[data-line]')) followLine(line)

function followLine(line) {
  const input = letter => form.elements[letter + line.dataset.line]
  const read = letter => Number(String(input(letter).value).replace(',', '.'))
  const write = (letter, value) => {
    input(letter).value = String(Math.round(Math.max(0, Math.min(100, value)) * 100) / 100)
  }
  const { spot, text, grip } = makeSpot()
  const show = () => {
    const key = input('k').value.trim()
    const page = form.querySelector(`[data-file="${read('f')}"][data-page="${read('p')}"]`)
    const isPlaced = key !== '' && page !== null && input('x').value !== '' && input('y').value !== ''
    spot.hidden = !isPlaced
    if (!isPlaced) return
    if (spot.parentElement !== page) page.append(spot)
    text.textContent = `${input('t').value}: ${key}`
    spot.setAttribute('aria-label', `${input('t').value}: ${key}, move it with the arrow keys, resize it with Shift`)
    const [w, h] = [read('w') || 28, read('h') || 4]
    Object.assign(spot.style, { left: `${read('x')}%`, top: `${read('y')}%`, width: `${w}%`, height: `${h}%` })
  }
  const change = (across, down, resizes) => {
    const [least, places, sizes] = [resizes ? 1 : 0, resizes ? 'xy' : 'wh', resizes ? 'wh' : 'xy']
    for (const [index, by] of [across, down].entries()) {
      const most = 100 - read(places[index])
      write(sizes[index], Math.max(least, Math.min(most, read(sizes[index]) + by)))
    }
    show()
  }
  followPointer(spot, grip, change)
  followKeys(spot, change)
  line.addEventListener('input', () => {
    // A new field begins on the first page, where it can be dragged from.
    if (input('k').value.trim() !== '' && input('x').value === '') {
      write('x', 10)
      write('y', 10)
      write('w', 28)
      write('h', 5)
    }
    show()
  })
  show()
}

function makeSpot() {
  const [spot, text, grip] = ['spot own', '', 'grip'].map(name => {
    const part = document.createElement('span')
    part.className = name
    return part
  })
  spot.tabIndex = 0
  spot.setAttribute('role', 'button')
  spot.append(text, grip)
  return { spot, text, grip }
}

function followPointer(spot, grip, change) {
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
    const [across, down] = [((clientX - last.x) / box.width) * 100, ((clientY - last.y) / box.height) * 100]
    last = { ...last, x: clientX, y: clientY }
    change(across, down, last.resizes)
  })
  for (const name of ['pointerup', 'pointercancel'])
    spot.addEventListener(name, () => {
      last = undefined
    })
}

function followKeys(spot, change) {
  spot.addEventListener('keydown', event => {
    const by = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key]
    if (!by) return
    event.preventDefault()
    change(...by, event.shiftKey)
  })
}
