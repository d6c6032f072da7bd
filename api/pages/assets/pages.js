// Adds copy buttons, shows the current tab, and says where a preview is missing; every page works without it.
for (const button of document.querySelectorAll('.copy')) {
  if (!navigator.clipboard) break
  button.hidden = false
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.previousElementSibling.textContent).then(() => {
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
  })
}

for (const nav of document.querySelectorAll('.places, .chips')) {
  const current = nav.querySelector('[aria-current]')
  if (current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2
}
for (const image of document.querySelectorAll('.preview img')) {
  const giveUp = () => image.parentElement.replaceChildren('There is no preview of this file.')
  if (image.complete && image.naturalWidth === 0) giveUp()
  image.addEventListener('error', giveUp)
}
for (const form of document.querySelectorAll('form[data-auto]')) {
  form.addEventListener('change', event => {
    if (event.target.matches('select')) form.requestSubmit()
  })
}
