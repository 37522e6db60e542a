"""Looking at a page by its picture alone: for canvas pages, and for the day the DOM
cannot be had.

A `PixelReader` turns an image into controls and texts (`reading`); the one here finds
text with an OCR library (`ocr`), boxes with OpenCV (`shapes`), and guesses roles from
both (`layout`). `sight` makes the `Observation` of it: identities kept from look to
look by position and text, secrets masked and covered. `hands` acts by coordinates. A
session has these eyes when it is connected with `eyes=PixelEyes` (`eyes`). The extra
`pixels` brings the libraries; without it the first look by pixels is refused as
`pixels.not_installed`. Read next: `reading`, `layout`, `sight`.
"""
