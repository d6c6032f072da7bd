// Everything works without this; it only saves a selection by hand.
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
