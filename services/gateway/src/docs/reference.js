// Narrows the reference to the endpoints that hold every word of the search field.
const field = document.getElementById('find')
const count = document.getElementById('count')
const sections = [...document.querySelectorAll('.endpoint')]

const narrow = () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  let shown = 0
  for (const section of sections) {
    const fits = words.every((word) => section.dataset.words.includes(word))
    section.hidden = !fits
    document.querySelector(`nav a[href="#${section.id}"]`).parentElement.hidden = !fits
    if (fits) shown += 1
  }
  count.textContent = words.length === 0 ? '' : `${shown} of ${sections.length}`
}

field.addEventListener('input', narrow)
narrow()
