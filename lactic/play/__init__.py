"""Running a trained brain in real time, recording it and exporting what happened; never imports torch."""
